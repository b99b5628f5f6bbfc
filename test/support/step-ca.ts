import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askHttps } from '../../src/features/publishing/certificates/ask-https.js';
import { chooseFreePort } from './free-port.js';
import { mustRun } from './run-program.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

/** A CA for private networks. Unlike Pebble, it leaves an order pending after a failed validation. */
export interface StepCa {
  directoryUrl: string;
  /** The file with the root that signs its certificates and its own HTTPS. */
  caFile: string;
  /** Ends it and removes its files. */
  close: () => Promise<void>;
}

export interface StepCaOptions {
  /** host:port of the DNS server that it asks. */
  dnsServer: string;
  /** Where it looks for the answers to http-01 challenges. */
  httpPort: number;
}

/** A step-ca on a free port of 127.0.0.1, which ends with this process. */
export async function startStepCa({ dnsServer, httpPort }: StepCaOptions): Promise<StepCa> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-step-ca-'));
  const caFile = join(folder, 'root.pem');
  const port = await chooseFreePort();
  const directoryUrl = `https://127.0.0.1:${port}/acme/acme/directory`;
  let child: ChildProcess | undefined;
  const close = async () => {
    if (child !== undefined) await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await makeAuthority(folder);
    await writeFile(join(folder, 'ca.json'), JSON.stringify(configuration(folder, port)));
    const args = ['--resolver', dnsServer, '--insecure', '--acme-http-port', String(httpPort)];
    child = await launch([...args, join(folder, 'ca.json')], directoryUrl, caFile);
  } catch (error) {
    await close();
    throw error;
  }
  return { directoryUrl, caFile, close };
}

/** A root and an authority below it: step-ca needs both. */
async function makeAuthority(folder: string): Promise<void> {
  const path = (name: string) => join(folder, name);
  const make = (name: string, ...options: string[]) =>
    mustRun('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
      ...['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`), ...options],
    ]);
  await make('root');
  await make('intermediate', '-CA', path('root.pem'), '-CAkey', path('root.key'));
}

function configuration(folder: string, port: number): object {
  return {
    root: join(folder, 'root.pem'),
    crt: join(folder, 'intermediate.pem'),
    key: join(folder, 'intermediate.key'),
    address: `127.0.0.1:${port}`,
    dnsNames: ['127.0.0.1'],
    db: { type: 'badgerv2', dataSource: join(folder, 'db') },
    authority: { provisioners: [{ type: 'ACME', name: 'acme' }] },
  };
}

async function launch(args: readonly string[], directoryUrl: string, caFile: string): Promise<ChildProcess> {
  const log: string[] = [];
  const child = spawn(...tied('step-ca', args), { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  await once(child, 'spawn');
  const ca = await readFile(caFile, 'utf8');
  try {
    await until('step-ca to answer', () => {
      if (child.exitCode !== null) throw new Error(`step-ca ended with ${child.exitCode}:\n${log.join('')}`);
      const headers = { 'User-Agent': 'test' };
      return askHttps({ method: 'GET', url: directoryUrl, headers, ca, timeoutMs: 10_000 }).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    return child;
  } catch (error) {
    await end(child);
    throw error;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

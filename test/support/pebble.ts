import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askHttps } from '../../src/features/publishing/certificates/ask-https.js';
import { chooseFreePort } from './free-port.js';
import { makeCertificates, type Certificates } from './certificates.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

/** Pebble, the CA for tests of Let's Encrypt. It keeps everything in memory. */
export interface Pebble {
  directoryUrl: string;
  /** PEM of the authority behind its own HTTPS. */
  ca: string;
  /** Of that HTTPS, for what stands in front of it. */
  files: Certificates;
  /** Where it looks for the answers to http-01 challenges, on the addresses that DNS gives. */
  httpPort: number;
  /** PEM of the root that its certificates lead to; another one after `restart`. */
  root: () => Promise<string>;
  /** What it answers from now on when it is asked when to renew this certificate; any text. */
  setRenewalInfo: (certificatePem: string, answer: string) => Promise<void>;
  /** The lines of its log that hold this text. */
  logged: (text: string) => number;
  /** kill -9, and all it knew is gone. */
  stop: () => Promise<void>;
  /** Once more on the same ports, after `stop`. */
  start: () => Promise<void>;
  /** Ends it and removes its files. */
  close: () => Promise<void>;
}

export interface PebbleOptions {
  /** host:port of the DNS server that it asks, over TCP. */
  dnsServer: string;
  httpPort?: number;
  /** Percent of good nonces that it refuses. */
  nonceReject?: number;
  /** Percent of valid authorizations that it uses for later orders as well. */
  authorizationReuse?: number;
}

/** The profile that orders have to name: without a name Pebble takes one by chance. */
export const PEBBLE_PROFILE = 'ninety-days';
/** Certificates of 6 days, as Let's Encrypt offers under this name. */
export const PEBBLE_SHORT_PROFILE = 'shortlived';

const DAY_SECONDS = 86_400;

/** A Pebble on free ports of 127.0.0.1, which ends with this process. */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-pebble-'));
  const files = await makeCertificates(folder);
  const ca = await readFile(files.ca, 'utf8');
  const [port, managementPort] = [await chooseFreePort(), await chooseFreePort()];
  const httpPort = options.httpPort ?? (await chooseFreePort());
  const config = join(folder, 'config.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: files.certificate,
    privateKey: files.key,
    httpPort,
    tlsPort: await chooseFreePort(),
    caaIdentities: ['ca.example'],
    profiles: {
      [PEBBLE_PROFILE]: { description: 'ninety days', validityPeriod: 90 * DAY_SECONDS },
      [PEBBLE_SHORT_PROFILE]: { description: 'six days', validityPeriod: 6 * DAY_SECONDS },
    },
    retryAfter: { authz: 3, order: 5 },
  };
  await writeFile(config, JSON.stringify({ pebble }));

  const directoryUrl = `https://127.0.0.1:${port}/dir`;
  const managementUrl = `https://127.0.0.1:${managementPort}`;
  const log: string[] = [];
  let child: ChildProcess;
  const start = async () => {
    child = await launch(config, options, log, () => answers(directoryUrl, ca));
  };
  const stop = () => end(child);

  try {
    await start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    directoryUrl,
    ca,
    files,
    httpPort,
    root: async () => (await manage(`${managementUrl}/roots/0`, ca)).body,
    async setRenewalInfo(certificatePem, answer) {
      const body = JSON.stringify({ Certificate: certificatePem, ARIResponse: answer });
      await manage(`${managementUrl}/set-renewal-info/`, ca, body);
    },
    logged: (text) =>
      log
        .join('')
        .split('\n')
        .filter((line) => line.includes(text)).length,
    stop,
    start,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(
  config: string,
  { dnsServer, nonceReject, authorizationReuse }: PebbleOptions,
  log: string[],
  isUp: () => Promise<boolean>,
): Promise<ChildProcess> {
  const child = spawn(...tied('pebble', ['-config', config, '-dnsserver', dnsServer, '-strict']), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PEBBLE_VA_NOSLEEP: '1',
      ...(nonceReject !== undefined && { PEBBLE_WFE_NONCEREJECT: String(nonceReject) }),
      ...(authorizationReuse !== undefined && { PEBBLE_AUTHZREUSE: String(authorizationReuse) }),
    },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  await once(child, 'spawn');
  try {
    await until('Pebble to answer', () => {
      if (child.exitCode !== null) throw new Error(`pebble ended with ${child.exitCode}:\n${log.join('')}`);
      return isUp();
    });
    return child;
  } catch (error) {
    await end(child);
    throw error;
  }
}

function answers(directoryUrl: string, ca: string): Promise<boolean> {
  return manage(directoryUrl, ca).then(
    () => true,
    () => false,
  );
}

async function manage(url: string, ca: string, body?: string): Promise<{ body: string }> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { 'User-Agent': 'test' };
  const answer = await askHttps({
    method,
    url,
    headers,
    ca,
    timeoutMs: 10_000,
    ...(body !== undefined && { body }),
  });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.body}`);
  return answer;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

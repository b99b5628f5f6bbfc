import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { tied } from './tied-command.js';
import { until } from './until.js';

export interface GatewayProcess {
  url: string;
  pid: number;
  /** All that it has printed. */
  output: () => string;
  /** Sends the signal, SIGTERM unless said; resolves to the exit code once it has ended. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
  /** Resolves to the exit code once it has ended by itself. */
  ended: () => Promise<number | null>;
}

const ROOT = join(__dirname, '../..');

/**
 * `pets-gateway serve` as people run it: a process of its own, on a port of its own.
 * @param root of another version than this one
 * @param stderr the file descriptor of its standard error, which is then no part of `output`
 */
export async function startGatewayProcess(
  env: Record<string, string>,
  root = ROOT,
  stderr?: number,
): Promise<GatewayProcess> {
  const { child, output } = spawnGateway(env, root, stderr);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    url: await listeningUrl(child, output),
    pid: child.pid ?? 0,
    output,
    async stop(signal = 'SIGTERM') {
      if (hasEnded()) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
    async ended() {
      if (!hasEnded()) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

/** A start that is not meant to succeed: its exit code and all that it printed. `signal` is sent once it listens. */
export async function failGatewayProcess(
  env: Record<string, string>,
  signal?: NodeJS.Signals,
  root = ROOT,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = spawnGateway(env, root);
  const closed = once(child, 'close');
  if (signal !== undefined) {
    const live = `http://127.0.0.1:${env['PORT'] ?? ''}/health/live`;
    await until('the port', () =>
      fetch(live).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    child.kill(signal);
  }
  await closed;
  return { code: child.exitCode, output: output() };
}

function spawnGateway(
  env: Record<string, string>,
  root: string,
  stderr: number | 'pipe' = 'pipe',
): { child: ChildProcess; output: () => string } {
  const child = spawn(...tied(process.execPath, [join(root, 'bin/pets-gateway.js'), 'serve']), {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  return { child, output: () => printed };
}

/** The address that the banner tells. */
function listeningUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [url] = /http:\/\/[0-9.]+:\d+/.exec(output()) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) =>
      reject(new Error(`the gateway ended with ${code ?? 'a signal'}:\n${output()}`)),
    );
  });
}

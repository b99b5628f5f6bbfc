import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface GatewayProcess {
  url: string;
  pid: number;
  /** SIGTERM, and the exit code once it has ended. */
  stop: () => Promise<number | null>;
}

const BIN = join(__dirname, '../../bin/pets-gateway.js');

/** `pets-gateway serve` as people run it: a process of its own, on a port of its own. */
export async function startGatewayProcess(env: Record<string, string>): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [BIN, 'serve'], {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the gateway could not be started');
  return {
    url: await listeningUrl(child),
    pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}

/** The address that the banner tells. */
function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const [url] = /http:\/\/[0-9.]+:\d+/.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.once('exit', (code) =>
      reject(new Error(`the gateway ended with ${code ?? 'a signal'}:\n${printed}`)),
    );
  });
}

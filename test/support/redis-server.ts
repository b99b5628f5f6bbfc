import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { chooseFreePort } from '../../src/mongo/free-port.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

export interface RedisServer {
  url: string;
  port: number;
  /** Of the process as it is now: another one after `restart`. */
  readonly pid: number;
  /** kill -9; its files stay. */
  kill: () => Promise<void>;
  /** Once more on the same port and files, after `kill`. */
  restart: () => Promise<void>;
  /** SIGSTOP: it takes connections and answers nothing. */
  pause: () => void;
  resume: () => void;
  /** Ends it and removes its files. */
  close: () => Promise<void>;
}

const DURABLE = { appendonly: 'yes', 'maxmemory-policy': 'noeviction' };

/** A redis-server in a folder of its own, on a free port, and set up as the gateway wants it, but for `settings`. */
export async function startRedisServer(settings: Record<string, string> = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-redis-'));
  const port = Number(settings['port'] ?? (await chooseFreePort()));
  const all = { ...DURABLE, port: String(port), bind: '127.0.0.1', dir: folder, save: '', ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const password = settings['requirepass'];
  let child = await launch(args, port, password);

  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    kill: () => end(child),
    async restart() {
      child = await launch(args, port, password);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async close() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(args: readonly string[], port: number, password?: string): Promise<ChildProcess> {
  const [program, tiedArgs] = tied('redis-server', args);
  const child = spawn(program, tiedArgs, { stdio: 'ignore' });
  await once(child, 'spawn');
  const options = { host: '127.0.0.1', port, lazyConnect: true, retryStrategy: null };
  try {
    await until('redis-server to answer', async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      const client = new Redis(password === undefined ? options : { ...options, password });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return true;
      } catch {
        return false;
      } finally {
        client.disconnect();
      }
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

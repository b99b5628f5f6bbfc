import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { chooseFreePort } from '../../src/mongo/free-port.js';
import { until } from './until.js';

export interface RedisServer {
  url: string;
  port: number;
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

/** Where it can be had, the kernel ends redis-server with the process that started it, however that one ends. */
const TIE = ['setpriv', '--pdeathsig', 'KILL', '--'];
const command =
  spawnSync('setpriv', [...TIE.slice(1), 'true']).status === 0 ? [...TIE, 'redis-server'] : ['redis-server'];
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
  const [program = '', ...rest] = command;
  const child = spawn(program, [...rest, ...args], { stdio: 'ignore' });
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

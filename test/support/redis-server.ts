import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { chooseFreePort } from './free-port.js';
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

/** How a client reaches it. */
interface Address {
  host: string;
  port: number;
  password?: string;
  tls?: { ca: Buffer };
}

/** Valkey's valkey-server understands the same. */
const PROGRAM = process.env['TEST_REDIS_SERVER'] ?? 'redis-server';
const DURABLE = { appendonly: 'yes', 'maxmemory-policy': 'noeviction' };

/**
 * A redis-server in a folder of its own, on a free port, and set up as the gateway wants it, but for `settings`. With a
 * `tls-port` among them that is its port.
 */
export async function startRedisServer(settings: Record<string, string> = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-redis-'));
  const port = Number(settings['tls-port'] ?? settings['port'] ?? (await chooseFreePort()));
  const all = { ...DURABLE, port: String(port), bind: '127.0.0.1', dir: folder, save: '', ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const password = settings['requirepass'];
  const caFile = settings['tls-ca-cert-file'];
  const address: Address = {
    host: caFile === undefined ? '127.0.0.1' : 'localhost',
    port,
    ...(password !== undefined && { password }),
    ...(caFile !== undefined && { tls: { ca: await readFile(caFile) } }),
  };
  let child = await launchRedis(args, address);

  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    url: urlOf(address),
    kill: () => endRedis(child),
    async restart() {
      child = await launchRedis(args, address);
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async close() {
      await endRedis(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function urlOf({ host, port, password, tls }: Address): string {
  const user = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return `${tls === undefined ? 'redis' : 'rediss'}://${user}${host}:${port}`;
}

/** Starts the program and resolves once it answers. */
export async function launchRedis(args: readonly string[], address: Address): Promise<ChildProcess> {
  const [program, tiedArgs] = tied(PROGRAM, args);
  const child = spawn(program, tiedArgs, { stdio: 'ignore' });
  await once(child, 'spawn');
  const options = { ...address, lazyConnect: true, retryStrategy: null };
  try {
    await until('redis-server to answer', async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      const client = new Redis(options);
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
    await endRedis(child);
    throw error;
  }
}

export async function endRedis(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

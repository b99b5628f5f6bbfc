import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConnection } from '../src/platform/mongod/mongod-connection.js';
import { runLoad } from './load.js';
import { usageOf } from './process-usage.js';
import { medianOf } from './summary.js';
import { startServer, type RunningServer } from './targets/running-server.js';
import { REST_LISTS } from './workloads.js';

/** How long the gateway takes to start with a mongod of its own, and the memory that the two have. */
export interface Startup {
  /** From `npm start` to the line that says it is ready, on an empty data directory: a new database with demo data. */
  firstStartSeconds: number;
  /** The same on a data directory that is there already. */
  laterStartSeconds: number;
  idle: Memory;
  /** After a load of lists over 200 connections. */
  loaded: Memory;
}

interface Memory {
  gatewayMiB: number;
  mongodMiB: number;
}

export interface StartupOptions {
  rounds: number;
  progress: (line: string) => void;
  signal: AbortSignal;
}

/** V8 gives back the memory that only the start needed when the process has allocated little for 10 to 20 seconds. */
const IDLE_SECONDS = 30;
const LOAD_SECONDS = 10;
const LOAD_CONNECTIONS = 200;
const NPM_START = ['npm', ['--silent', 'start']] as const;
const SERVE = [process.execPath, [join(__dirname, '../bin/pets-gateway.js'), 'serve']] as const;

/** Needs a built gateway, and a mongod that is found without being fetched. */
export async function measureStartup({ rounds, progress, signal }: StartupOptions): Promise<Startup> {
  const first: number[] = [];
  const later: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await withDataDir(async (env) => {
      for (const seconds of [first, later]) {
        signal.throwIfAborted();
        const begin = performance.now();
        const server = await startServer(...NPM_START, env);
        seconds.push((performance.now() - begin) / 1000);
        await server.stop();
      }
    });
    progress(
      `start ${round}: ${first.at(-1)?.toFixed(2) ?? ''} s, again ${later.at(-1)?.toFixed(2) ?? ''} s`,
    );
  }
  return {
    firstStartSeconds: medianOf(first),
    laterStartSeconds: medianOf(later),
    ...(await withDataDir((env) => measureMemory(env, { progress, signal }))),
  };
}

async function withDataDir<T>(run: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  try {
    return await run({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureMemory(
  env: Record<string, string>,
  { progress, signal }: Pick<StartupOptions, 'progress' | 'signal'>,
): Promise<Pick<Startup, 'idle' | 'loaded'>> {
  const secret = randomBytes(24).toString('hex');
  const server = await startServer(...SERVE, {
    ...env,
    ADMIN_API_KEY: secret,
    ADMIN_REQUESTS_PER_MINUTE: '10000000',
  });
  try {
    await sleep(IDLE_SECONDS * 1000, undefined, { signal });
    const idle = await memoryOf(server, env);
    const load = {
      url: server.url,
      requests: REST_LISTS,
      headers: {},
      keys: { secrets: [secret], requestsPerKey: 1 },
      connections: LOAD_CONNECTIONS,
      seconds: LOAD_SECONDS,
    };
    const { requests, refusals, broken } = await runLoad(load, signal);
    const unanswered = refusals + broken;
    if (unanswered > 0) progress(`${unanswered} of ${requests} requests of the load were refused or failed`);
    return { idle, loaded: await memoryOf(server, env) };
  } finally {
    await server.stop();
  }
}

async function memoryOf({ pid }: RunningServer, env: Record<string, string>): Promise<Memory> {
  const mongod = await readConnection(env['DATA_DIR'] ?? '');
  if (mongod?.pid == null) throw new Error('the gateway has no mongod of its own');
  const mongodMiB = usageOf(mongod.pid).residentMiB;
  // The gateway started its mongod, so the memory of the gateway includes it.
  return { gatewayMiB: usageOf(pid).residentMiB - mongodMiB, mongodMiB };
}

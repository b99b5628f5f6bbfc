import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startRedisServer } from '../../test/support/redis-server.js';
import type { Keys } from '../load.js';
import type { Dialect } from '../workloads.js';
import { startCollector } from './collector.js';
import type * as databaseModule from './database.js';
import { fillWithParsePets, fillWithPets, type BenchDatabase } from './database.js';
import type * as keysModule from './gateway-keys.js';
import type { KeyUse } from './gateway-keys.js';
import { apolloPackages, mercuriusPackages, parsePackages, yogaPackages } from './packages.js';
import { startServer, type RunningServer } from './running-server.js';

export const TARGET_NAMES = [
  'bare-empty',
  'bare-http',
  'bare-express',
  'bare-apollo',
  'mercurius-jit',
  'yoga',
  'gateway',
  'gateway-logged',
  'gateway-traced',
  'gateway-sampled',
  'gateway-unmetered',
  'gateway-workers',
  'gateway-redis',
  'gateway-redis-logged',
  'gateway-open',
  'earlier',
  'earlier-logged',
  'earlier-redis',
  'earlier-redis-logged',
  'parse-server',
] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** A server under comparison, running over pets of its own. */
export interface Target extends RunningServer {
  /** What it is asked in, in the order of preference. */
  dialects: readonly Dialect[];
  headers: Readonly<Record<string, string>>;
  keys: (use: KeyUse, seconds: number) => Promise<Keys>;
  /** Whether its responses are empty, whatever the request. */
  isEmpty?: true;
  /** Of the Redis that it counts in. */
  redisPid?: number;
}

export interface TargetSettings {
  database: BenchDatabase;
  /** How many pets there are before the first request. */
  pets: number;
  /** The checkout that the targets named `earlier…` are in, by default this one. */
  checkout?: string | undefined;
}

export const START: Readonly<Record<TargetName, (settings: TargetSettings) => Promise<Target>>> = {
  'bare-empty': async () => ({
    ...(await startNode('bare-empty.cjs', [])),
    ...{ dialects: ['rest'], headers: {}, keys: noKeys, isEmpty: true },
  }),
  'bare-http': (settings) => startBare('bare-http', ['rest'], settings),
  'bare-express': (settings) => startBare('bare-express', ['rest'], settings),
  'bare-apollo': async (settings) => startBare('bare-apollo', ['graphql'], settings, await apolloPackages()),
  'mercurius-jit': async (settings) =>
    startBare('mercurius-jit', ['graphql'], settings, await mercuriusPackages()),
  yoga: async (settings) => startBare('yoga', ['graphql'], settings, await yogaPackages()),
  gateway: (settings) => startGateway('gateway', here(settings)),
  'gateway-logged': (settings) => startLogged('gateway-logged', here(settings)),
  'gateway-traced': (settings) => withCollector((env) => startGateway('gateway-traced', here(settings), env)),
  'gateway-sampled': (settings) =>
    withCollector((env) => startGateway('gateway-sampled', here(settings), { ...env, ...ONE_PERCENT })),
  'gateway-unmetered': (settings) =>
    startGateway('gateway-unmetered', here(settings), {
      NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, 'without-metrics.cjs'))}`,
    }),
  'gateway-workers': (settings) => startGateway('gateway-workers', here(settings), { WORKERS: '2' }),
  'gateway-redis': (settings) => withRedis((env) => startGateway('gateway-redis', here(settings), env)),
  'gateway-redis-logged': (settings) =>
    withRedis((env) => startLogged('gateway-redis-logged', here(settings), env)),
  'gateway-open': async (settings) => {
    const target = await startBare('gateway-open', ['graphql', 'rest'], settings);
    // Nobody looks at it, but who sends none is refused before anybody would.
    return { ...target, keys: () => Promise.resolve({ secrets: ['any'] }) };
  },
  earlier: (settings) => startGateway('earlier', settings),
  'earlier-logged': (settings) => startLogged('earlier-logged', settings),
  'earlier-redis': (settings) => withRedis((env) => startGateway('earlier-redis', settings, env)),
  'earlier-redis-logged': (settings) =>
    withRedis((env) => startLogged('earlier-redis-logged', settings, env)),
  'parse-server': startParse,
};

const CHECKOUT = join(__dirname, '../..');
const here = (settings: TargetSettings): TargetSettings => ({ ...settings, checkout: CHECKOUT });

/** Of the traces. */
const ONE_PERCENT = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' };

const noKeys = (): Promise<Keys> => Promise.resolve({ secrets: [] });

/** A program of this folder that is given its database's URI. */
async function startBare(
  name: TargetName,
  dialects: readonly Dialect[],
  { database, pets }: TargetSettings,
  ...args: string[]
): Promise<Target> {
  const uri = database.uriOf(name);
  await fillWithPets(uri, pets);
  const server = await startNode(`${name}.cjs`, [uri, ...args]);
  return { ...server, dialects, headers: {}, keys: noKeys };
}

/** As `npm start` runs it, its settings at their defaults but for what it logs. @param logFile where to */
async function startGateway(
  name: TargetName,
  { database, pets, checkout = CHECKOUT }: TargetSettings,
  env: Readonly<Record<string, string>> = {},
  logFile?: string,
): Promise<Target> {
  const uri = database.uriOf(name);
  // Documents as the checkout's own code writes and reads them.
  const fill = await load<typeof databaseModule>(checkout, 'database');
  await fill.fillWithPets(uri, pets);
  const { openGatewayKeys } = await load<typeof keysModule>(checkout, 'gateway-keys');
  const keys = await openGatewayKeys(uri, pets);
  try {
    const settings = { MONGODB_URI: uri, PORT: '0', LOG_LEVEL: 'warn', ...env };
    const program = relative(__dirname, join(checkout, 'bin/pets-gateway.js'));
    const server = await startNode(program, ['serve'], settings, logFile);
    return {
      ...server,
      dialects: ['graphql', 'rest'],
      headers: {},
      keys: keys.of,
      stop: inTurn(keys.close, server.stop),
    };
  } catch (error) {
    await keys.close();
    throw error;
  }
}

/** The module `name` of this folder, as the checkout has it. */
export function load<Module>(checkout: string, name: string): Promise<Module> {
  return import(join(checkout, 'bench/targets', name)) as Promise<Module>;
}

/** With a log line for each request in a file. */
async function startLogged(
  name: TargetName,
  settings: TargetSettings,
  env: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const gateway = await startGateway(name, settings, { ...env, LOG_LEVEL: 'info' }, join(folder, 'log'));
  return { ...gateway, stop: inTurn(gateway.stop, () => rm(folder, { recursive: true })) };
}

/** With a redis-server of its own. */
async function withRedis(start: (env: Record<string, string>) => Promise<Target>): Promise<Target> {
  const redis = await startRedisServer();
  try {
    const gateway = await start({ REDIS_URL: redis.url });
    return { ...gateway, redisPid: redis.pid, stop: inTurn(gateway.stop, redis.close) };
  } catch (error) {
    await redis.close();
    throw error;
  }
}

/** With a collector of traces of its own. */
async function withCollector(start: (env: Record<string, string>) => Promise<Target>): Promise<Target> {
  const collector = await startCollector();
  try {
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    return { ...gateway, stop: inTurn(gateway.stop, collector.close) };
  } catch (error) {
    await collector.close();
    throw error;
  }
}

async function startParse({ database, pets }: TargetSettings): Promise<Target> {
  const uri = database.uriOf('parse-server');
  const key = randomBytes(16).toString('hex');
  // Some of it logs before any option is read.
  const env = { PARSE_SERVER_LOGS_FOLDER: 'null' };
  const server = await startNode('parse-server.cjs', [uri, await parsePackages(), key], env);
  try {
    const headers = { 'X-Parse-Application-Id': 'bench', 'X-Parse-REST-API-Key': key };
    // The first pet makes the class, with its fields.
    const first = await fetch(`${server.url}/parse/classes/Pet`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'first', categoryId: 1, status: 'sold' }),
    });
    if (!first.ok) throw new Error(`Parse Server took no pet: ${first.status} ${await first.text()}`);
    await fillWithParsePets(uri, pets);
    return { ...server, dialects: ['parse'], headers, keys: noKeys };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A program beside this file. */
function startNode(
  file: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  logFile?: string,
): Promise<RunningServer> {
  return startServer(process.execPath, [join(__dirname, file), ...args], env, logFile);
}

function inTurn(...stops: readonly (() => Promise<void>)[]): () => Promise<void> {
  return async () => {
    for (const stop of stops) await stop();
  };
}

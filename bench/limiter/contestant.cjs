/**
 * One limiter in a process of its own, as a gateway has it. Messages: { run: seconds } is answered by { decisions, cpuUs,
 * seconds }, and { end: true } ends it. Argument: JSON of { kind, root, uri, keys, atOnce }.
 */
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');

const { kind, root, uri, keys, atOnce } = JSON.parse(process.argv[2]);
const LIMIT = 100_000_000;
const REQUEST_TIMEOUT_MS = 2000;
const requireBuilt = createRequire(join(root, 'dist/'));
const load = (path) => requireBuilt(`./${path}`);

/** What decides a request of a key: resolves when it is decided. */
async function open() {
  if (kind === 'union') return openUnion();
  const silent = { error: console.error, info() {}, warn: console.error };
  const [store, close] = await (kind === 'redis' ? openRedisStore(silent) : openMongoStore());
  const limiter = limiterOn(store, silent);
  const meters = Array.from({ length: keys }, (_, i) => ({
    id: `bench-${kind}-${i}`,
    windows: ['minute', 'day'].map((name) => ({ name, limit: LIMIT, epoch: 0 })),
  }));
  return {
    decide: (i) => limiter.limiter.charge(meters[i], 1),
    async close() {
      await limiter.close();
      await close();
    },
  };
}

async function openRedisStore(log) {
  const { client, close } = await load('platform/redis/redis-connection.js').connectRedis(uri, log);
  return [load('features/limiter/redis-quota-store.js').createRedisQuotaStore(client), close];
}

async function openMongoStore() {
  const connection = await load('platform/mongo/connection.js').connectMongo({
    uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  return [
    load('features/limiter/mongo-quota-store.js').createMongoQuotaStore(connection),
    () => connection.close(),
  ];
}

function limiterOn(store, log) {
  const canLoseCounts = kind === 'redis';
  let modern;
  try {
    modern = load('features/limiter/quota-limiter.js');
  } catch {
    return layersOn(store, canLoseCounts);
  }
  return modern.createQuotaLimiter({ name: kind, store, canLoseCounts }, 1, log, Date.now);
}

/** A checkout of before the limiter was composed in one place. */
function layersOn(store, canLoseCounts) {
  const exact = load('features/limiter/store-limiter.js').createStoreLimiter(store, Date.now);
  const { createLeasingLimiter } = load('features/limiter/leasing-limiter.js');
  const leasing = canLoseCounts ? undefined : createLeasingLimiter(exact);
  const limiter = load('features/limiter/fallback-limiter.js').createFallbackLimiter(leasing ?? exact, {
    shares: 1,
    callTimeoutMs: REQUEST_TIMEOUT_MS,
    retryMs: 1000,
    holdMs: 6000,
    probe: () => Promise.reject(new Error('no probe')),
    onOutage: console.error,
    onRecovery() {},
    clock: Date.now,
  });
  return {
    limiter,
    async close() {
      await leasing?.close();
      await limiter.close();
    },
  };
}

/** Two limiters of the library as it is. A rejection would cost less, so nothing is rejected. */
async function openUnion() {
  const { Redis } = require('ioredis');
  const { RateLimiterRedis, RateLimiterUnion } = require('rate-limiter-flexible');
  const storeClient = new Redis(uri);
  const of = (keyPrefix, duration) =>
    new RateLimiterRedis({ storeClient, points: LIMIT, duration, keyPrefix });
  const union = new RateLimiterUnion(of('minute', 60), of('day', 86_400));
  return { decide: (i) => union.consume(`bench-${i}`, 1), close: async () => storeClient.disconnect() };
}

async function run({ decide }, seconds) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const until = began + seconds * 1000;
  let decisions = 0;
  let next = 0;
  const client = async () => {
    while (performance.now() < until) {
      next = (next + 1) % keys;
      await decide(next);
      decisions += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  const { user, system } = process.cpuUsage(cpu);
  return { decisions, cpuUs: user + system, seconds: (performance.now() - began) / 1000 };
}

async function main() {
  const limiter = await open();
  process.on('message', (message) => {
    if (message.end) void limiter.close().then(() => process.disconnect());
    else
      void run(limiter, message.run).then(
        (measured) => process.send(measured),
        (error) => process.send({ error: String(error?.stack ?? error) }),
      );
  });
  process.send({ ready: true });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

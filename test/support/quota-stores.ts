import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Cluster, Redis } from 'ioredis';
import { createMemoryQuotaStore } from './memory-quota-store.js';
import {
  createMongoQuotaStore,
  QUOTAS_COLLECTION,
  quotasCollection,
} from '../../src/features/limiter/mongo-quota-store.js';
import type { Counts, QuotaStore } from '../../src/features/limiter/quota-store.js';
import { createRedisQuotaStore } from '../../src/features/limiter/redis-quota-store.js';
import type { Meter } from '../../src/features/plans/window.js';
import { createLogger } from '../../src/lib/logger.js';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { connectRedis } from '../../src/platform/redis/redis-connection.js';
import type { StoreUnderTest } from '../contract/limiter.js';
import { freshDatabase } from './database.js';
import { makeCollections } from './make-collections.js';
import { startRedisCluster } from './redis-cluster.js';
import { startRedisServer } from './redis-server.js';

export function memoryQuotaStore(): Promise<StoreUnderTest> {
  const store = createMemoryQuotaStore(() => Date.now());
  return Promise.resolve({ open: () => store, close: () => Promise.resolve() });
}

/** Counts in a database of their own, which itself refuses every write that would take a count below zero. */
export async function mongoQuotaStore(): Promise<StoreUnderTest> {
  const database = freshDatabase();
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 60_000,
  });
  await makeCollections(connection, quotasCollection);
  await connection.db?.command({
    collMod: QUOTAS_COLLECTION,
    validator: { 'm.u': { $not: { $lt: 0 } }, 'd.u': { $not: { $lt: 0 } } },
  });
  return {
    open: () => createMongoQuotaStore(connection, () => new Date()),
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

/** Counts in a redis-server of their own, on the Date of the test. */
export const redisQuotaStore = () => redisStoreAt(startRedisServer);
/** The same in a cluster. */
export const redisClusterQuotaStore = () => redisStoreAt(startRedisCluster);

async function redisStoreAt(
  start: () => Promise<{ url: string; close: () => Promise<void> }>,
): Promise<StoreUnderTest> {
  const server = await start();
  const { client, close } = await connectRedis(server.url, createLogger({ level: 'silent', pretty: false }));
  const ends = new Map<string, number>();
  return {
    open: () =>
      onDate(
        createRedisQuotaStore(client, () => Date.now()),
        client,
        ends,
      ),
    async close() {
      await close();
      await server.close();
    },
  };
}

/** How much longer a counter lives than by Date, so that none ends by the time that really passes. */
const AHEAD_MS = 1000;

/**
 * Redis ends the counter of a minute by its own clock, which a test cannot move. So before each call the counter gets
 * the time to live that it has by Date. Both are sent at once, and Redis keeps the order.
 */
function onDate(store: QuotaStore, client: Redis | Cluster, ends: Map<string, number>): QuotaStore {
  const minuteOf = ({ id, windows }: Meter) => {
    const minute = windows.findIndex(({ name }) => name === 'minute');
    return { at: minute, key: `quota:{${id}}:minute:${windows[minute]?.epoch ?? 0}` };
  };

  function align(meter: Meter): void {
    const { key } = minuteOf(meter);
    const end = ends.get(key);
    if (end === undefined) return;
    const leftMs = Math.min(end - Date.now(), 60_000);
    ends.set(key, Date.now() + leftMs);
    if (leftMs <= 0) ends.delete(key);
    // A time to live that has passed deletes.
    void client.pexpire(key, leftMs > 0 ? leftMs + AHEAD_MS : 0);
  }

  function asOfDate(meter: Meter, counts: Counts, startedMs: number): Counts {
    const { at, key } = minuteOf(meter);
    const minute = counts[at];
    if (minute === undefined || minute.msBeforeNext === 0) return counts;
    const end = ends.get(key) ?? Date.now() + startedMs;
    ends.set(key, end);
    const onDate = new RateLimiterRes(minute.remainingPoints, end - Date.now(), minute.consumedPoints, false);
    return counts.map((count) => (count === minute ? onDate : count));
  }

  return {
    ...store,
    async decide(meter, ...given) {
      align(meter);
      const outcome = await store.decide(meter, ...given);
      return { ...outcome, windows: asOfDate(meter, outcome.windows, 60_000) };
    },
    async add(meter, units, leftMs, ...given) {
      align(meter);
      const counts = await store.add(meter, units, leftMs, ...given);
      const { at, key } = minuteOf(meter);
      const endMs = Date.now() + (counts[at]?.msBeforeNext ?? 0);
      // The store has prolonged the minute.
      if (endMs > (ends.get(key) ?? Infinity) + 2 * AHEAD_MS) ends.set(key, endMs);
      return asOfDate(meter, counts, leftMs[at] ?? 0);
    },
    async read(meters) {
      meters.forEach(align);
      const counts = await store.read(meters);
      return meters.map((meter, i) => asOfDate(meter, counts[i] ?? [], 0));
    },
  };
}

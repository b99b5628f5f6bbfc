import { createMemoryQuotaStore } from './memory-quota-store.js';
import {
  createMongoQuotaStore,
  QUOTAS_COLLECTION,
  quotasCollection,
} from '../../src/features/limiter/mongo-quota-store.js';
import { createRedisQuotaStore } from '../../src/features/limiter/redis-quota-store.js';
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
  return {
    open: () => createRedisQuotaStore(client, () => Date.now()),
    async close() {
      await close();
      await server.close();
    },
  };
}

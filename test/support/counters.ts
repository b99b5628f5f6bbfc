import { connectMongo } from '../../src/platform/mongo/connection.js';
import { createMemoryCounters } from '../../src/features/limiter/memory-counters.js';
import {
  COUNTERS_COLLECTION,
  createMongoCounters,
  type CounterDocument,
} from '../../src/features/limiter/mongo-counters.js';
import type { CountersUnderTest } from '../contract/limiter.js';
import { freshDatabase } from './database.js';
import { prepared } from './prepared.js';

const clock = () => Date.now();

export function memoryCounters(): Promise<CountersUnderTest> {
  return Promise.resolve({ counters: createMemoryCounters(clock), close: () => Promise.resolve() });
}

/** Counters in a database of their own, which itself refuses every write that would take a counter below zero. */
export async function mongoCounters(): Promise<CountersUnderTest> {
  const database = freshDatabase();
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 60_000,
  });
  const counters = createMongoCounters(await prepared(connection), clock);
  await connection.db?.command({
    collMod: COUNTERS_COLLECTION,
    validator: { points: { $gte: 0 } } satisfies Record<keyof Pick<CounterDocument, 'points'>, unknown>,
  });
  return {
    counters,
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

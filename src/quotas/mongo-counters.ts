import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { Connection } from 'mongoose';
import type { Clock } from '../lib/clock.js';
import { createCounters, type Count, type Counters } from './counters.js';
import { QuotaStoreError } from './limiter.js';

const COLLECTION = 'quotaCounters';
const KEY_PREFIX = 'quota';

interface CounterDocument {
  key: string;
  points: number;
  expire: Date;
}

/**
 * Counters in MongoDB. Written with w:1: a crash of the primary can lose the counts of its last journal interval
 * (100 ms), never a pet or a key; waiting for a majority would cost each request a replication round trip.
 *
 * Resolves once the indexes stand: without the unique one, two processes would make two counters for one key.
 */
export async function createMongoCounters(connection: Connection, clock: Clock): Promise<Counters> {
  const db = connection.getClient().db(connection.name, { writeConcern: { w: 1 } });
  const options = {
    // The database, not the client, so that its write concern counts and the name stays ours.
    storeClient: db,
    tableName: COLLECTION,
    keyPrefix: KEY_PREFIX,
    duration: 60,
    disableIndexesCreation: true,
  };
  await new RateLimiterMongo({ ...options, points: 1 }).createIndexes();
  const collection = db.collection<CounterDocument>(COLLECTION);

  return createCounters(
    (points) => new RateLimiterMongo({ ...options, points }),
    clock,
    async (keys) => {
      const wanted = keys.map((key) => `${KEY_PREFIX}:${key}`);
      // Swept by MongoDB once a minute: an expired counter still stands there.
      const alive = { key: { $in: wanted }, expire: { $gt: new Date(clock()) } };
      const found = await collection
        .find(alive)
        .toArray()
        .catch((error: unknown) => {
          throw new QuotaStoreError(error);
        });
      const counts = new Map(
        found.map(({ key, points, expire }): [string, Count] => [
          key,
          { units: points, resetAtMs: expire.getTime() },
        ]),
      );
      return wanted.map((key) => counts.get(key));
    },
  );
}

import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { Clock } from '../../lib/clock.js';
import { wantedIndex, type CollectionShape } from '../../platform/mongo/collection-shape.js';
import { ask, consume, SAME_COUNTER_MS, type Count, type StoredCounters } from './counters.js';
import { createOverlongCounters } from './overlong-counters.js';

export const COUNTERS_COLLECTION = 'quotaCounters';
/** As RateLimiterMongo makes them. Without the unique one, two processes would make two counters for a key. */
export const countersCollection: CollectionShape = {
  name: COUNTERS_COLLECTION,
  indexes: [
    wantedIndex({ expire: -1 }, { expireAfterSeconds: 0 }),
    wantedIndex({ key: 1 }, { unique: true }),
  ],
};
const KEY_PREFIX = 'quota';
/** Limiters kept at most, one for each distinct limit. Making one costs microseconds. */
const MAX_LIMITERS = 1000;

export interface CounterDocument {
  key: string;
  points: number;
  expire: Date;
}

/**
 * Counters in MongoDB. Written with w:1: a crash of the primary can lose the counts of its last journal interval
 * (100 ms), never a pet or a key; waiting for a majority would cost each request a replication round trip.
 *
 * One limiter for each distinct limit, all over the same stored counters: that is how a plan change keeps what was
 * counted.
 *
 * A counter ends by the clock of the gateway that began it, and by a stopwatch where that cannot be right.
 */
export function createMongoCounters(
  connection: Connection,
  clock: Clock,
  stopwatchMs: Clock = () => performance.now(),
): StoredCounters {
  const db = connection
    .getClient()
    .db(connection.name, { writeConcern: { w: 1 }, readPreference: 'primary' });
  const options = {
    // The database, not the client, so that its write concern counts and the name stays ours.
    storeClient: db,
    tableName: COUNTERS_COLLECTION,
    keyPrefix: KEY_PREFIX,
    duration: 60,
    disableIndexesCreation: true,
  };
  const collection = db.collection<CounterDocument>(COUNTERS_COLLECTION);
  const limiters = new LRUCache<number, RateLimiterMongo>({
    max: MAX_LIMITERS,
    memoMethod: (points) => new RateLimiterMongo({ ...options, points }),
  });
  const storedKey = (key: string) => `${KEY_PREFIX}:${key}`;
  const overlong = createOverlongCounters(clock, stopwatchMs);

  /** The counter under this key that ends then, and no later one. */
  function counter(key: string, expiresAtMs: number) {
    const expiresAt = expiresAtMs - clock() + Date.now();
    const expire = {
      $gte: new Date(expiresAt - SAME_COUNTER_MS),
      $lte: new Date(expiresAt + SAME_COUNTER_MS),
    };
    return { key: storedKey(key), expire };
  }

  return {
    async add(key, limit, units, lifetimeMs) {
      const count = await consume(limiters.memo(limit), key, units, lifetimeMs, clock);
      overlong.observe(key, count, lifetimeMs);
      if (!overlong.isOver(key, count)) return count;
      await ask(() => collection.deleteOne(counter(key, count.expiresAtMs)));
      return consume(limiters.memo(limit), key, units, lifetimeMs, clock);
    },
    // Not the library's `reward`: that upserts, and a late one begins a counter below zero.
    async refund(key, units, expiresAtMs) {
      await ask(() =>
        collection.updateOne(
          { ...counter(key, expiresAtMs), points: { $gte: units } },
          { $inc: { points: -units } },
        ),
      );
    },
    async remove(keys) {
      await ask(() => collection.deleteMany({ key: { $in: keys.map(storedKey) } }));
    },
    async getMany(keys) {
      const nowMs = Date.now();
      const wanted = keys.map(storedKey);
      // Swept by MongoDB once a minute: an expired counter still stands there.
      const alive = { key: { $in: wanted }, expire: { $gt: new Date(nowMs) } };
      const found = await ask(() => collection.find(alive).toArray());
      const counts = new Map(
        found.map(({ key, points, expire }): [string, Count] => [
          key,
          { units: points, expiresAtMs: clock() + expire.getTime() - nowMs },
        ]),
      );
      return keys.map((key, i) => {
        const count = counts.get(wanted[i] ?? '');
        return count === undefined || overlong.isOver(key, count) ? undefined : count;
      });
    },
  };
}

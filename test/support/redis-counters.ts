import type { Redis } from 'ioredis';
import { createLogger } from '../../src/lib/logger.js';
import { connectRedis } from '../../src/platform/redis/redis-connection.js';
import { createRedisCounters } from '../../src/features/limiter/redis-counters.js';
import type { Count, Counters } from '../../src/features/limiter/counters.js';
import type { CountersUnderTest } from '../contract/limiter.js';
import { startRedisServer } from './redis-server.js';

/** Counters in a redis-server of their own, on the Date of the test. */
export async function redisCounters(): Promise<CountersUnderTest> {
  const server = await startRedisServer();
  const { client, close } = await connectRedis(server.url, createLogger({ level: 'silent', pretty: false }));
  return {
    counters: onDate(
      createRedisCounters(client, () => Date.now()),
      client,
    ),
    async close() {
      await close();
      await server.close();
    },
  };
}

/** How much longer a counter lives than by Date, so that none ends by the time that really passes. */
const AHEAD_MS = 500;
/** How far the time of Redis may get ahead of Date, which stands still while a test runs. */
const BEHIND_MS = 2000;

/**
 * Redis ends counters by its own clock, which a test cannot move. So before each call a counter gets the time to live
 * that it has by Date; both are sent at once, and Redis keeps the order. The few milliseconds that really pass are taken
 * off what comes back, after a check that they are few.
 */
function onDate(counters: Counters, client: Redis): Counters {
  /** When each counter ends by Date. */
  const ends = new Map<string, number>();

  /** When the counter ends, undefined when there is none. */
  function align(key: string): number | undefined {
    const end = ends.get(key);
    if (end === undefined) return undefined;
    const leftMs = end - Date.now();
    // A time to live that has passed deletes.
    void client.pexpire(`quota:${key}`, leftMs > 0 ? leftMs + AHEAD_MS : 0);
    if (leftMs > 0) return end;
    ends.delete(key);
    return undefined;
  }

  /** The answer as it would be had no time passed, here or there, since it was asked for. */
  function asOfDate({ units, expiresAtMs }: Count, end: number | undefined, askedAtMs: number): Count {
    const seenEnd = expiresAtMs - (Date.now() - askedAtMs);
    if (end === undefined || seenEnd > end + AHEAD_MS || seenEnd < end - BEHIND_MS)
      throw new Error(`a counter should end at ${String(end)}, and Redis says at ${seenEnd}`);
    return { units, expiresAtMs: end };
  }

  return {
    async add(key, limit, units, lifetimeMs) {
      const askedAtMs = Date.now();
      const end = align(key) ?? askedAtMs + Math.ceil(lifetimeMs / 1000) * 1000;
      ends.set(key, end);
      return asOfDate(await counters.add(key, limit, units, lifetimeMs), end, askedAtMs);
    },
    refund(key, ...rest) {
      align(key);
      return counters.refund(key, ...rest);
    },
    async getMany(keys) {
      const askedAtMs = Date.now();
      const known = keys.map(align);
      const counts = await counters.getMany(keys);
      return counts.map((count, i) => count && asOfDate(count, known[i], askedAtMs));
    },
  };
}

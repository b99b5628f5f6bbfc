import type { Cluster, Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Clock } from '../../lib/clock.js';
import { ask, consume, SAME_COUNTER_MS, type Count, type StoredCounters } from './counters.js';

const KEY_PREFIX = 'quota';

/** The count and the milliseconds left of one counter, as they are at one moment. */
const READ = `return { redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1]) }`;

/**
 * Units, milliseconds left of the counter that is meant, tolerance. Not the library's `reward`: that upserts, and a
 * late one begins a counter below zero. PTTL is negative where there is no counter, or one that never ends.
 */
const REFUND = `
local left = redis.call('pttl', KEYS[1])
if left < 0 or math.abs(left - tonumber(ARGV[2])) > tonumber(ARGV[3]) then return 0 end
if tonumber(redis.call('get', KEYS[1])) < tonumber(ARGV[1]) then return 0 end
redis.call('decrby', KEYS[1], ARGV[1])
return 1`;

interface Scripts {
  quotaRead(key: string): Promise<[units: string | null, leftMs: number]>;
  quotaRefund(key: string, units: number, leftMs: number, toleranceMs: number): Promise<0 | 1>;
}

/**
 * Counters in Redis or Valkey, a cluster as well: every command is about one key. Redis's clock alone decides when a
 * counter ends, so gateways whose clocks differ agree on it.
 *
 * One limiter serves all limits, because a counter is the same under each and only its count is used here.
 */
export function createRedisCounters(client: Redis | Cluster, clock: Clock): StoredCounters {
  const limiter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: KEY_PREFIX,
    points: 1,
    duration: 60,
    rejectIfRedisNotReady: true,
  });
  client.defineCommand('quotaRead', { numberOfKeys: 1, lua: READ });
  client.defineCommand('quotaRefund', { numberOfKeys: 1, lua: REFUND });
  const scripts = client as unknown as Scripts;
  const storedKey = (key: string) => `${KEY_PREFIX}:${key}`;

  async function read(key: string): Promise<Count | undefined> {
    const [units, leftMs] = await scripts.quotaRead(storedKey(key));
    return units === null ? undefined : { units: Number(units), expiresAtMs: clock() + leftMs };
  }

  return {
    add: (key, _limit, units, lifetimeMs) => consume(limiter, key, units, lifetimeMs, clock),
    async refund(key, units, expiresAtMs) {
      const leftMs = Math.round(expiresAtMs - clock());
      await ask(() => scripts.quotaRefund(storedKey(key), units, leftMs, SAME_COUNTER_MS));
    },
    async remove(keys) {
      await ask(() => Promise.all(keys.map((key) => client.del(storedKey(key)))));
    },
    // Sent one after the other without waiting: one round trip. An explicit pipeline would be bound to one node.
    getMany: (keys) => ask(() => Promise.all(keys.map(read))),
  };
}

import { LRUCache } from 'lru-cache';
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { QuotaStoreError } from './limiter.js';

export interface Count {
  /** Units on the counter after the call; above the limit while a refused charge is not given back. */
  units: number;
  resetAtMs: number;
}

/** The four things that quotas ask of a store of counters. Each throws QuotaStoreError when the store failed. */
export interface Counters {
  /** Adds units whatever the limit says, and tells the new count. Begins the counter when there is none. */
  add(key: string, limit: number, units: number, lifetimeMs: number): Promise<Count>;
  /** Takes units off a counter that is known to be alive. */
  giveBack(key: string, limit: number, units: number, lifetimeMs: number): Promise<void>;
  get(key: string): Promise<Count | undefined>;
  /** In the order of `keys`. */
  getMany(keys: readonly string[]): Promise<(Count | undefined)[]>;
}

/** Makes a limiter for a number of points; all it makes share one key prefix and one collection. */
export type LimiterOfPoints = (points: number) => RateLimiterAbstract;

/**
 * Counters on rate-limiter-flexible. One limiter for each distinct limit, all over the same stored counters:
 * that is how a plan change keeps what was counted.
 */
export function createCounters(
  limiterOf: LimiterOfPoints,
  nowMs: () => number,
  getMany?: Counters['getMany'],
): Counters {
  const limiters = new LRUCache<number, RateLimiterAbstract>({ max: 1000, memoMethod: limiterOf });

  const toCount = (res: RateLimiterRes): Count => ({
    units: res.consumedPoints,
    resetAtMs: nowMs() + res.msBeforeNext,
  });
  const get: Counters['get'] = async (key) => {
    const res = await ask(() => limiters.memo(1).get(key));
    return res === null ? undefined : toCount(res);
  };

  return {
    async add(key, limit, units, lifetimeMs) {
      const options = { customDuration: Math.max(1, Math.ceil(lifetimeMs / 1000)) };
      return toCount(
        await ask(() => limiters.memo(limit).consume(key, units, options).catch(resultOfRefusal)),
      );
    },
    async giveBack(key, limit, units, lifetimeMs) {
      const options = { customDuration: Math.max(1, Math.ceil(lifetimeMs / 1000)) };
      await ask(() => limiters.memo(limit).reward(key, units, options));
    },
    get,
    getMany: getMany ?? ((keys) => Promise.all(keys.map(get))),
  };
}

/** `consume` rejects with a result when the limit is passed and with an Error when the store failed: told apart here. */
function resultOfRefusal(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}

async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new QuotaStoreError(error);
  }
}

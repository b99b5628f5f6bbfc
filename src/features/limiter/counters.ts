import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Clock } from '../../lib/clock.js';
import { QuotaStoreError } from './limiter.js';

export interface Count {
  /** Units on the counter; above the limit while a refused charge is not given back. */
  units: number;
  /** When the counter ends. Tells one counter from the next one under the same key. */
  expiresAtMs: number;
}

/** The three things that quotas ask of a store of counters. Each throws QuotaStoreError when the store failed. */
export interface Counters {
  /**
   * Adds units whatever the limit says, and tells the new count. Begins the counter when there is none.
   * `smallestLimit` is that of all windows that are charged together, `limit` unless told.
   */
  add(key: string, limit: number, units: number, lifetimeMs: number, smallestLimit?: number): Promise<Count>;
  /**
   * Takes units off the counter that ends then, in one step with making sure that it is that one. When it has ended,
   * nothing is done: a late give-back must neither begin a counter below zero nor touch the next one.
   */
  refund(key: string, units: number, expiresAtMs: number): Promise<void>;
  /** In the order of `keys`. */
  getMany(keys: readonly string[]): Promise<(Count | undefined)[]>;
}

/** Counters in a store that outlives the process. */
export interface StoredCounters extends Counters {
  /** Removes counters, of keys that are no more. */
  remove(keys: readonly string[]): Promise<void>;
}

/**
 * Two counters under one key end at least a minute apart; when one is told to end differs by milliseconds only,
 * between one reading of the clock and the next.
 */
export const SAME_COUNTER_MS = 1000;

/** `add` on rate-limiter-flexible. The limiter is one for this limit, over counters that all limits share. */
export async function consume(
  limiter: RateLimiterAbstract,
  key: string,
  units: number,
  lifetimeMs: number,
  clock: Clock,
): Promise<Count> {
  const options = { customDuration: Math.max(1, Math.ceil(lifetimeMs / 1000)) };
  return toCount(await ask(() => limiter.consume(key, units, options).catch(resultOfRefusal)), clock);
}

/** What the library tells, on our clock; the library's own is Date.now. */
export function toCount({ consumedPoints, msBeforeNext }: RateLimiterRes, clock: Clock): Count {
  return { units: consumedPoints, expiresAtMs: clock() + msBeforeNext };
}

/** `consume` rejects with a result when the limit is passed and with an Error when the store failed: told apart here. */
function resultOfRefusal(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}

/** @throws QuotaStoreError for whatever `call` throws */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new QuotaStoreError(error);
  }
}

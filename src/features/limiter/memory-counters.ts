import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../../lib/clock.js';
import { consume, SAME_COUNTER_MS, toCount, type Count, type Counters } from './counters.js';

/** Counters of this process alone: the stand-in while the shared store is down. */
export function createMemoryCounters(clock: Clock): Counters {
  // Each RateLimiterMemory has counts of its own, so all limits share one: only its counts are used.
  const limiter = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: 'quota' });

  async function get(key: string): Promise<Count | undefined> {
    const found = await limiter.get(key);
    // The library sweeps with timers, which may be late: an ended counter can still stand there.
    return found === null || found.msBeforeNext <= 0 ? undefined : toCount(found, clock);
  }

  return {
    add: (key, _limit, units, lifetimeMs) => consume(limiter, key, units, lifetimeMs, clock),
    async refund(key, units, expiresAtMs) {
      const count = await get(key);
      // Nothing but microtasks runs between looking and giving back: one step, as far as this process can tell.
      if (count !== undefined && Math.abs(count.expiresAtMs - expiresAtMs) <= SAME_COUNTER_MS)
        await limiter.reward(key, units);
    },
    getMany: (keys) => Promise.all(keys.map(get)),
  };
}

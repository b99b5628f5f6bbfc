import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../lib/clock.js';
import { createCounters, type Counters } from './counters.js';

/** Counters of this process alone: the stand-in while the shared store is down. */
export function createMemoryCounters(clock: Clock): Counters {
  // Each RateLimiterMemory has counts of its own, so all limits share one: only its counts are used.
  const limiter = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: 'quota' });
  return createCounters(() => limiter, clock);
}

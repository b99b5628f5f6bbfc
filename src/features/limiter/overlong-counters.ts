import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { CLOCK_TOLERANCE_MS, type Clock } from '../../lib/clock.js';
import { SAME_COUNTER_MS, type Count } from './counters.js';

/** Bounds the memory; one that is dropped is watched anew. */
const MAX_WATCHED = 50_000;

/** Counters that end later than any that begins now would: begun by a clock that was ahead, or before ours was set back. */
export interface OverlongCounters {
  /** Looks at a counter of such a lifetime; from the first time that it is overlong, its window is measured. */
  observe(key: string, count: Count, lifetimeMs: number): void;
  /** Whether a whole window has passed since this counter was first seen to be overlong. */
  isOver(key: string, count: Count): boolean;
}

/**
 * Believed, such a counter would keep a client waiting for as long as the clock was wrong. Ended at once, it would admit
 * another limit each time, again and again where a gateway whose clock is ahead begins it anew. So it counts on, and
 * ends when a stopwatch has measured a whole window: its own is over by then, whoever began it.
 *
 * @param stopwatchMs milliseconds from any beginning, which nobody sets
 */
export function createOverlongCounters(clock: Clock, stopwatchMs: Clock): OverlongCounters {
  const watched = new LRUCache<string, { expiresAtMs: number; overAtMs: number }>(atMost(MAX_WATCHED));

  function watchedAs(key: string, { expiresAtMs }: Count): { overAtMs: number } | undefined {
    const known = watched.get(key);
    const isSame = known !== undefined && Math.abs(known.expiresAtMs - expiresAtMs) <= SAME_COUNTER_MS;
    return isSame ? known : undefined;
  }

  return {
    observe(key, count, lifetimeMs) {
      const { expiresAtMs } = count;
      if (expiresAtMs - clock() <= lifetimeMs + CLOCK_TOLERANCE_MS || watchedAs(key, count)) return;
      watched.set(key, { expiresAtMs, overAtMs: stopwatchMs() + lifetimeMs });
    },
    isOver(key, count) {
      const known = watchedAs(key, count);
      return known !== undefined && stopwatchMs() >= known.overAtMs;
    },
  };
}

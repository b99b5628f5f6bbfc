import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import type { Meter, WindowName, WindowState } from '../plans/window.js';
import { countOf, type Counts } from './quota-store.js';

/** Bounds the memory. A key that is forgotten costs a store call, never an admission too many. */
const MAX_KEYS = 50_000;
/** How long the counts of a key prove that a cost does not fit, milliseconds. Other processes can take units back. */
const REFUSES_FOR_MS = 10_000;

interface Known {
  seenAtMs: number;
  windows: Partial<Record<WindowName, { epoch: number; used: number; endsAtMs: number }>>;
}

/** What this process last saw of each key's counts. Time is measured by a stopwatch that nobody sets. */
export interface KnownCounts {
  /** Not started: unknown, or ended since. */
  of(meter: Meter): Counts;
  /** The same, unless they are too old to refuse a request by. */
  recent(meter: Meter): Counts | undefined;
  /** @param askedAtMs when the store was asked, by the stopwatch: what was seen since then stays */
  see(meter: Meter, counts: Counts, askedAtMs?: number): void;
}

export function createKnownCounts(stopwatchMs: Clock): KnownCounts {
  const keys = new LRUCache<string, Known>(atMost(MAX_KEYS));

  const countsOf = ({ windows }: Meter, known: Known | undefined): Counts =>
    windows.map((window) => {
      const seen = known?.windows[window.name];
      if (seen === undefined || seen.epoch < window.epoch) return countOf(window, 0, 0);
      return countOf(window, seen.used, seen.endsAtMs - stopwatchMs());
    });

  return {
    of: (meter) => countsOf(meter, keys.get(meter.id)),
    recent(meter) {
      const known = keys.get(meter.id);
      const ageMs = stopwatchMs() - (known?.seenAtMs ?? -Infinity);
      return ageMs < REFUSES_FOR_MS ? countsOf(meter, known) : undefined;
    },
    see({ id, windows }, counts, askedAtMs = Infinity) {
      if ((keys.peek(id)?.seenAtMs ?? -Infinity) > askedAtMs) return;
      const nowMs = stopwatchMs();
      const known: Known = { seenAtMs: nowMs, windows: {} };
      for (const [i, { name, epoch }] of windows.entries()) {
        const { consumedPoints = 0, msBeforeNext = 0 } = counts[i] ?? {};
        if (msBeforeNext > 0)
          known.windows[name] = { epoch, used: consumedPoints, endsAtMs: nowMs + msBeforeNext };
      }
      keys.set(id, known);
    },
  };
}

export function statesOf({ windows }: Meter, counts: Counts, nowMs: number): WindowState[] {
  return windows.map(({ name, limit }, i) => {
    const { consumedPoints = 0, msBeforeNext = 0 } = counts[i] ?? {};
    const resetAtMs = msBeforeNext > 0 ? nowMs + msBeforeNext : undefined;
    return { name, limit, used: consumedPoints, remaining: Math.max(0, limit - consumedPoints), resetAtMs };
  });
}

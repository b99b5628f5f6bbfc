import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import { WINDOWS, windowState, type Meter, type WindowName, type WindowState } from '../plans/window.js';
import { countOf, SAME_WINDOW_MS, type Counts } from './quota-store.js';

/**
 * Bounds the memory. A key that is forgotten costs a store call. In an outage, it gets its share of the whole limit, like one
 * that was never seen.
 */
const MAX_KEYS = 50_000;
/** How long the counts of a key prove that a cost does not fit, milliseconds. Other processes can take units back. */
const REFUSES_FOR_MS = 10_000;

interface Known {
  seenAtMs: number;
  /** The store may have counted less since. */
  isDoubtful?: boolean;
  windows: Partial<Record<WindowName, KnownWindow>>;
}

interface KnownWindow {
  epoch: number;
  used: number;
  /** The window ends between these, by the stopwatch: the store decided after it was asked, and before it answered. */
  earliestEndMs: number;
  latestEndMs: number;
}

/** What this process last saw of each key's counts. Time is measured by a stopwatch that nobody sets. */
export interface KnownCounts {
  /** Not started: unknown, or ended since. */
  of(meter: Meter): Counts;
  /**
   * The same, as the store gets them: only windows whose end is certain (a process that was paused knows it only
   * roughly), and also those that have just ended.
   */
  forStore(meter: Meter): Counts;
  /**
   * How long an aligned window that begins now lasts by the store, whatever the clock of this process says,
   * milliseconds: not only the rest of a window that may have ended. Undefined before any such window of the store was
   * seen.
   */
  alignedLeftMs(name: WindowName): number | undefined;
  /** Counts to refuse a request by: not too old, and of windows that cannot have ended. */
  recent(meter: Meter): Counts | undefined;
  /** @param askedAtMs when the store was asked, by the stopwatch */
  see(meter: Meter, counts: Counts, askedAtMs: number): void;
  /** The same for answers that others can overtake: what was seen since the store was asked stays. */
  seeUnlessNewer(meter: Meter, counts: Counts, askedAtMs: number): void;
  /** The same for counts from which units were subtracted. If the order is unclear, what is known refuses no request. */
  seeLess(meter: Meter, counts: Counts, askedAtMs: number): void;
}

export function createKnownCounts(stopwatchMs: Clock): KnownCounts {
  const keys = new LRUCache<string, Known>(atMost(MAX_KEYS));
  /** Of a day of any key: all end at the same time. By the stopwatch. */
  const alignedEndsMs = new Map<WindowName, number>();

  const countsOf = (
    { windows }: Meter,
    known: Known | undefined,
    end: 'earliestEndMs' | 'latestEndMs',
  ): Counts =>
    windows.map((window) => {
      const seen = known?.windows[window.name];
      if (seen === undefined || seen.epoch < window.epoch) return countOf(window, 0, 0);
      return countOf(window, seen.used, seen[end] - stopwatchMs());
    });

  const countsForStore = ({ id, windows }: Meter): Counts =>
    windows.map((window) => {
      const seen = keys.get(id)?.windows[window.name];
      if (seen === undefined || seen.epoch < window.epoch) return countOf(window, 0, 0);
      if (seen.latestEndMs - seen.earliestEndMs > SAME_WINDOW_MS) return countOf(window, 0, 0);
      return countOf(window, seen.used, seen.latestEndMs - stopwatchMs(), SAME_WINDOW_MS);
    });

  function see({ id, windows }: Meter, counts: Counts, askedAtMs: number): void {
    const nowMs = stopwatchMs();
    const known: Known = { seenAtMs: nowMs, windows: {} };
    const before = keys.peek(id)?.windows;
    for (const [i, { name, epoch }] of windows.entries()) {
      const { consumedPoints: used = 0, msBeforeNext = 0 } = counts[i] ?? {};
      const earliestEndMs = askedAtMs + msBeforeNext;
      const latestEndMs = nowMs + msBeforeNext;
      const last = before?.[name];
      // A request that was authenticated before a reset asked about the window that the reset ended.
      if (last !== undefined && last.epoch > epoch) known.windows[name] = last;
      else if (msBeforeNext > 0) known.windows[name] = { epoch, used, earliestEndMs, latestEndMs };
      if (WINDOWS[name].isAligned && msBeforeNext > 0) alignedEndsMs.set(name, latestEndMs);
    }
    keys.set(id, known);
  }

  /** Returns what is newer, if something is. */
  function seeUnlessNewer(meter: Meter, counts: Counts, askedAtMs: number): Known | undefined {
    const last = keys.peek(meter.id);
    if (last !== undefined && last.seenAtMs >= askedAtMs) return last;
    see(meter, counts, askedAtMs);
    return undefined;
  }

  return {
    of: (meter) => countsOf(meter, keys.get(meter.id), 'latestEndMs'),
    forStore: countsForStore,
    alignedLeftMs(name) {
      const endMs = alignedEndsMs.get(name);
      if (endMs === undefined) return undefined;
      const { lengthMs } = WINDOWS[name];
      const leftMs = (((endMs - stopwatchMs()) % lengthMs) + lengthMs) % lengthMs;
      return leftMs > SAME_WINDOW_MS ? leftMs : leftMs + lengthMs;
    },
    recent(meter) {
      const known = keys.get(meter.id);
      if (known?.isDoubtful === true) return undefined;
      const ageMs = stopwatchMs() - (known?.seenAtMs ?? -Infinity);
      return ageMs < REFUSES_FOR_MS ? countsOf(meter, known, 'earliestEndMs') : undefined;
    },
    see,
    seeUnlessNewer: (meter, counts, askedAtMs) => void seeUnlessNewer(meter, counts, askedAtMs),
    seeLess(meter, counts, askedAtMs) {
      const newer = seeUnlessNewer(meter, counts, askedAtMs);
      if (newer !== undefined) newer.isDoubtful = true;
    },
  };
}

export function statesOf({ windows }: Meter, counts: Counts, nowMs: number): WindowState[] {
  return windows.map((window, i) => {
    const { consumedPoints = 0, msBeforeNext = 0 } = counts[i] ?? {};
    return windowState(window, consumedPoints, msBeforeNext > 0 ? nowMs + msBeforeNext : undefined);
  });
}

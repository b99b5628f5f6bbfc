import type { Clock } from '../../lib/clock.js';
import {
  WINDOWS,
  wholeWindowMs,
  windowState,
  type Meter,
  type WindowName,
  type WindowState,
} from '../plans/window.js';
import type { KnownCounts } from './known-counts.js';
import type { Decision, Refusal } from './limiter.js';
import { SAME_WINDOW_MS, type Counts } from './quota-store.js';
import { refusalIn } from './store-limiter.js';

export interface LocalWindowsParts {
  /** What this process last saw of the store's counts. */
  known: KnownCounts;
  /** Processes that share the store: each admits its share of what is left. */
  shares: number;
  clock: Clock;
  /** Milliseconds from any beginning, which nobody sets. */
  stopwatchMs: Clock;
}

/** One window of a key without the store. */
interface LocalWindow {
  epoch: number;
  /** What the store had counted when this began. */
  usedBefore: number;
  /** Units that this process admitted since. */
  admitted: number;
  /** Those of them that the store does not have yet. */
  units: number;
  /** By the stopwatch. Undefined until it begins, with the first request that it counts. */
  endsAtMs: number | undefined;
  /** Whether another window of this process went before, of which the store may not have all units. */
  follows: boolean;
}

/** What this process admitted of a key while it counted by itself. */
export interface Account {
  meter: Meter;
  windows: Partial<Record<WindowName, LocalWindow>>;
}

/** What StoreLimiter.add takes, and how to undo taking it. */
interface TakenUnits {
  meter: Meter;
  units: number[];
  leftMs: number[];
  follows: boolean;
  putBack: () => void;
}

/**
 * Decides and counts without the store, each time in one step: nothing else happens between a decision and its count.
 *
 * Each window admits this process's share of what the process last knew to remain. A key that it has not seen in this
 * window gets its share of the limit.
 */
export interface LocalWindows {
  /** What this process may not admit counts as used. */
  peek(meter: Meter): WindowState[];
  /** See Limiter.foresee. */
  foresee(meter: Meter, cost: number): Refusal | undefined;
  charge(meter: Meter, cost: number): Decision;
  /** Of each key that was charged here, until it is closed. */
  accounts: Map<string, Account>;
}

export function createLocalWindows({ known, shares, clock, stopwatchMs }: LocalWindowsParts): LocalWindows {
  const accounts = new Map<string, Account>();

  /** The windows that run, and new ones in place of those that do not. */
  function windowsOf(meter: Meter, nowMs: number): LocalWindow[] {
    const windows = accounts.get(meter.id)?.windows ?? {};
    const counts = known.of(meter);
    return meter.windows.map(({ name, epoch }, i) => {
      const own = windows[name];
      const { consumedPoints: used = 0, msBeforeNext = 0 } = counts[i] ?? {};
      const endsAtMs = msBeforeNext > 0 ? nowMs + msBeforeNext : undefined;
      if (own?.endsAtMs === undefined || own.epoch < epoch)
        return { epoch, usedBefore: used, admitted: 0, units: 0, endsAtMs, follows: false };
      if (own.endsAtMs > nowMs) return own;
      // The store's answers tell the end of a window more or less late: this may be the one that has ended. If it is
      // another one, the process may have admitted what the store does not know of, so the new one is whole.
      const isAnother = endsAtMs !== undefined && endsAtMs - own.endsAtMs > SAME_WINDOW_MS;
      const usedBefore = isAnother ? used : 0;
      return { epoch, usedBefore, admitted: 0, units: 0, endsAtMs: undefined, follows: true };
    });
  }

  function statesOf(meter: Meter, windows: readonly LocalWindow[], nowMs: number): WindowState[] {
    return meter.windows.map((window, i) => {
      const { usedBefore = 0, admitted = 0, endsAtMs } = windows[i] ?? {};
      // The limit can change while the window runs.
      const share = Math.floor(Math.max(0, window.limit - usedBefore) / shares);
      const resetAtMs = endsAtMs === undefined ? undefined : clock() + endsAtMs - nowMs;
      return windowState(window, window.limit - share + admitted, resetAtMs);
    });
  }

  function peek(meter: Meter): WindowState[] {
    const nowMs = stopwatchMs();
    return statesOf(meter, windowsOf(meter, nowMs), nowMs);
  }

  function refusalOf(states: readonly WindowState[], cost: number): Refusal | undefined {
    const nowMs = clock();
    // A window that has not begun, and of which this process may admit less than the cost, does not begin later either.
    const begun = states.map((one) => ({ ...one, resetAtMs: one.resetAtMs ?? nowMs + wholeMs(one.name) }));
    return refusalIn(begun, cost, nowMs);
  }

  function charge(meter: Meter, cost: number): Decision {
    // Read once: no window ends between the decision and the count.
    const nowMs = stopwatchMs();
    const windows = windowsOf(meter, nowMs);
    const refusal = refusalOf(statesOf(meter, windows, nowMs), cost);
    if (refusal !== undefined) return refusal;
    const account = accounts.get(meter.id) ?? { meter, windows: {} };
    accounts.set(meter.id, account);
    account.meter = meter;
    for (const [i, { name }] of meter.windows.entries()) {
      const window = windows[i];
      if (window === undefined) continue;
      window.endsAtMs ??= nowMs + wholeMs(name);
      window.admitted += cost;
      window.units += cost;
      account.windows[name] = window;
    }
    return { admitted: true, windows: statesOf(meter, windows, nowMs) };
  }

  /** The day ends when the store's does, if this process has seen a day of the store. */
  function wholeMs(name: WindowName): number {
    return known.alignedLeftMs(name) ?? wholeWindowMs(name, clock());
  }

  return { peek, foresee: (meter, cost) => refusalOf(peek(meter), cost), charge, accounts };
}

export function hasUnits({ meter, windows }: Account): boolean {
  return meter.windows.some(({ name }) => (windows[name]?.units ?? 0) > 0);
}

/**
 * Takes the units that the store does not have yet, for the store. Those of a window that has ended go into the one that
 * the store is known to run.
 * @param known of the meter
 * @param nowMs by the stopwatch
 */
export function takeUnits({ meter, windows }: Account, known: Counts, nowMs: number): TakenUnits {
  const local = meter.windows.map(({ name }) => windows[name]);
  const units = local.map((window) => window?.units ?? 0);
  for (const window of local) if (window !== undefined) window.units = 0;
  return {
    // The request that came last may have been authenticated before a reset.
    meter: {
      ...meter,
      windows: meter.windows.map((window, i) => ({ ...window, epoch: local[i]?.epoch ?? window.epoch })),
    },
    units,
    leftMs: local.map((window, i) => {
      const leftMs = (window?.endsAtMs ?? nowMs) - nowMs;
      return leftMs > 0 ? leftMs : (known[i]?.msBeforeNext ?? 0);
    }),
    follows: meter.windows.some(({ name }, i) => !WINDOWS[name].isAligned && local[i]?.follows === true),
    putBack() {
      for (const [i, window] of local.entries()) if (window !== undefined) window.units += units[i] ?? 0;
    },
  };
}

import {
  WINDOW_NAMES,
  WINDOWS,
  wholeWindowMs,
  windowState,
  type Meter,
  type WindowLimit,
  type WindowName,
  type WindowState,
} from '../plans/window.js';
import type { Clock } from '../../lib/clock.js';
import type { Charge } from './limiter.js';
import { countOf, SAME_WINDOW_MS, type Counts } from './quota-store.js';
import type { Traced } from '../../lib/trace-context.js';

/** How long the counts of a key prove that a cost does not fit, milliseconds. Other processes can take units back. */
const REFUSES_FOR_MS = 10_000;

/** What the store counted, as this process last saw it. */
interface Seen {
  epoch: number;
  used: number;
  /** The window ends between these, by the stopwatch: the store decided after it was asked, and before it answered. */
  earliestEndMs: number;
  latestEndMs: number;
}

/** What this process may admit without the store. */
interface Local {
  epoch: number;
  /** What was used when this began. */
  usedBefore: number;
  /** Units that this process admitted since. */
  admitted: number;
  /** By the stopwatch. Undefined until it begins, with the first request that it counts. */
  endsAtMs: number | undefined;
  /** Whether another window of this process went before, of which the store may not have all units. */
  follows: boolean;
}

interface WindowAccount {
  seen: Seen | undefined;
  local: Local | undefined;
  /** Units between this process and the store. Above zero: counted and not spent. Below zero: spent and not counted. */
  units: number;
}

/** A request that waits for the store. */
export interface Waiting extends Traced {
  meter: Meter;
  cost: number;
  sinceMs: number;
  /**
   * Whether it is decided without leased units: it would have been rejected while units were leased, or its meter has
   * another epoch.
   */
  isExact: boolean;
  resolve: (charge: Charge) => void;
  reject: (error: unknown) => void;
}

/** A group of requests that the store decides. */
export interface Call {
  asking: readonly Waiting[];
  /** Units that are counted in advance with the group. */
  leased: number;
  done: Promise<unknown>;
}

/** What QuotaStore.add takes, and how to undo taking it. */
interface TakenUnits {
  meter: Meter;
  units: number[];
  leftMs: number[];
  follows: boolean;
  putBack: () => void;
}

/** The clocks of a process, and what all its accounts know together. */
export interface Clocks {
  clock: Clock;
  /** Milliseconds from any beginning, which nobody sets. */
  stopwatchMs: Clock;
  /** The end of an aligned window of any key: all end at the same time. By the stopwatch. */
  alignedEndsMs: Map<WindowName, number>;
}

/**
 * All that this process knows of one key. Nothing here waits: each method is one step.
 *
 * Without the store, each window admits this process's share of what the process last knew to remain. A key that it has
 * not seen in this window gets its share of the limit.
 */
export class Account {
  /** The requests that wait for the store, and the group that it decides. */
  waiting: Waiting[] = [];
  call: Call | undefined;
  /** Units on their way to the store or back. */
  settling: Promise<void> | undefined;
  /** Changes when the requests that were asked are given up. */
  turn: object | undefined;
  /** Readings in progress. Until they have ended, nothing is leased. */
  readings = 0;
  /** Until when leased units may be used, by the stopwatch. */
  leasedUntilMs = -Infinity;
  timer: NodeJS.Timeout | undefined;
  /** Units asked for since a time, and in the same time before it. */
  demand = { sinceMs: -Infinity, units: 0, unitsBefore: 0 };

  readonly #windows: Record<WindowName, WindowAccount>;
  #seenAtMs = -Infinity;
  /** The store may have counted less since. */
  #isDoubtful = false;
  readonly #clocks: Clocks;

  constructor(
    /** Of the request that came last. */
    public meter: Meter,
    clocks: Clocks,
  ) {
    this.#clocks = clocks;
    this.#windows = Object.fromEntries(
      WINDOW_NAMES.map((name) => [name, { seen: undefined, local: undefined, units: 0 }]),
    ) as unknown as Record<WindowName, WindowAccount>;
  }

  /** The counts as last seen, with the latest end that is possible. Not started: unknown, or ended since. */
  counts(meter: Meter, end: 'earliestEndMs' | 'latestEndMs' = 'latestEndMs'): Counts {
    const nowMs = this.#clocks.stopwatchMs();
    return meter.windows.map((window) => {
      const seen = this.#seenIn(window);
      return seen === undefined ? countOf(window, 0, 0) : countOf(window, seen.used, seen[end] - nowMs);
    });
  }

  /**
   * The same, as the store gets them: only windows whose end is certain (a process that was paused knows it only
   * roughly), and also those that have just ended.
   */
  countsForStore(meter: Meter): Counts {
    const nowMs = this.#clocks.stopwatchMs();
    return meter.windows.map((window) => {
      const seen = this.#seenIn(window);
      if (seen === undefined || seen.latestEndMs - seen.earliestEndMs > SAME_WINDOW_MS)
        return countOf(window, 0, 0);
      return countOf(window, seen.used, seen.latestEndMs - nowMs, SAME_WINDOW_MS);
    });
  }

  /** The windows, if they certainly reject everything. */
  rejecting(meter: Meter): WindowState[] | undefined {
    const ageMs = this.#clocks.stopwatchMs() - this.#seenAtMs;
    if (this.#isDoubtful || ageMs >= REFUSES_FOR_MS || this.isLive()) return undefined;
    // While a window has something left, others may use it: what remains would be overstated.
    if (this.counts(meter, 'earliestEndMs').every(({ remainingPoints }) => remainingPoints >= 1))
      return undefined;
    // With the latest end that is possible: who waits that long is not rejected again.
    return this.states(meter, this.counts(meter));
  }

  /** @param askedAtMs when the store was asked, by the stopwatch */
  see({ windows }: Meter, counts: Counts, askedAtMs: number): void {
    const nowMs = this.#clocks.stopwatchMs();
    this.#seenAtMs = nowMs;
    this.#isDoubtful = false;
    for (const [i, { name, epoch }] of windows.entries()) {
      const window = this.#windows[name];
      const { consumedPoints: used = 0, msBeforeNext = 0 } = counts[i] ?? {};
      const last = window.seen;
      // A request that was authenticated before a reset asked about the window that the reset ended.
      if (last !== undefined && last.epoch > epoch) continue;
      const latestEndMs = nowMs + msBeforeNext;
      window.seen =
        msBeforeNext > 0 ? { epoch, used, earliestEndMs: askedAtMs + msBeforeNext, latestEndMs } : undefined;
      const isSame = last?.epoch === epoch && Math.abs(last.latestEndMs - latestEndMs) <= SAME_WINDOW_MS;
      // Leased units were counted in the window that has ended.
      if (window.local === undefined && !isSame) window.units = 0;
      if (msBeforeNext > 0 && WINDOWS[name].isAligned) this.#clocks.alignedEndsMs.set(name, latestEndMs);
    }
  }

  /**
   * The same for answers that others can overtake: what was seen since the store was asked stays.
   * @param isChange whether the counts can be less than before: if the order is unclear, what is known refuses no request
   */
  seeUnlessNewer(meter: Meter, counts: Counts, askedAtMs: number, isChange: boolean): void {
    if (this.#seenAtMs < askedAtMs) this.see(meter, counts, askedAtMs);
    else if (isChange) this.#isDoubtful = true;
  }

  /** The windows as counted, without units that are leased and not spent. */
  states({ windows }: Meter, counts: Counts): WindowState[] {
    const nowMs = this.#clocks.clock();
    return windows.map((window, i) => {
      const { consumedPoints = 0, msBeforeNext = 0 } = counts[i] ?? {};
      const { local, units } = this.#windows[window.name];
      const leased = local === undefined ? units : 0;
      const endsAtMs = msBeforeNext > 0 ? nowMs + msBeforeNext : undefined;
      return windowState(window, Math.max(0, consumedPoints - leased), endsAtMs);
    });
  }

  /** Whether the store may count units of it that are not spent. */
  isLive(): boolean {
    return this.settling !== undefined || (this.call?.leased ?? 0) > 0 || this.leased(this.meter) > 0;
  }

  /** Whether something is to settle: units, or what was admitted without the store. */
  isUnsettled(): boolean {
    return this.hasUnits() || this.hasLocal();
  }

  /** Whether something would be lost with the account. */
  isNeeded(): boolean {
    return this.turn !== undefined || this.settling !== undefined || this.readings > 0 || this.isUnsettled();
  }

  hasLocal(): boolean {
    return WINDOW_NAMES.some((name) => this.#windows[name].local !== undefined);
  }

  hasUnits(): boolean {
    return WINDOW_NAMES.some((name) => this.#windows[name].units !== 0);
  }

  /** Units that the store has counted and nobody has spent, in any window. */
  leased({ windows }: Meter): number {
    let most = 0;
    for (const { name } of windows) most = Math.max(most, this.#windows[name].units);
    return most;
  }

  lease({ windows }: Meter, units: number, untilMs: number): void {
    for (const { name } of windows) this.#windows[name].units += units;
    this.leasedUntilMs = untilMs;
  }

  /** Spends leased units; returns undefined, and spends none, if they are too few. @param isTest spends none */
  spendLeased(meter: Meter, cost: number, isTest = false): WindowState[] | undefined {
    const nowMs = this.#clocks.stopwatchMs();
    if (this.leasedUntilMs <= nowMs) return undefined;
    for (const { name, epoch, limit } of meter.windows) {
      const { seen, units, local } = this.#windows[name];
      if (units < cost || local !== undefined || seen === undefined) return undefined;
      if (seen.epoch !== epoch || seen.earliestEndMs <= nowMs) return undefined;
      if (seen.used - units + cost > limit) return undefined;
    }
    if (!isTest) for (const { name } of meter.windows) this.#windows[name].units -= cost;
    return this.states(meter, this.counts(meter));
  }

  /** Whether a window was reset since, or these were read before a reset. */
  hasOtherEpochs({ windows }: Meter): boolean {
    return windows.some(({ name, epoch }) => (this.#windows[name].seen?.epoch ?? epoch) !== epoch);
  }

  /**
   * Decides and counts without the store. Nothing else happens between a decision and its count. What other processes may
   * admit is missing from `remaining`, but `used` is what is known: a day's usage is recorded from it.
   * @param isTest counts nothing
   */
  decideLocally(meter: Meter, cost: number, shares: number, isTest = false): Charge {
    // Read once: no window ends between the decision and the count.
    const nowMs = this.#clocks.stopwatchMs();
    const windows = this.#localWindows(meter, nowMs);
    const before = this.#localStates(meter, windows, shares, nowMs);
    const admitted = before.every(({ remaining }) => cost <= remaining);
    if (!admitted || isTest) return { admitted, windows: this.#begun(before, cost) };
    this.meter = meter;
    for (const [i, { name }] of meter.windows.entries()) {
      const given = windows[i];
      if (given?.local === undefined) continue;
      given.local.endsAtMs ??= nowMs + this.#wholeMs(name);
      given.local.admitted += cost;
      given.units -= cost;
      this.#windows[name] = given;
    }
    return { admitted: true, windows: this.#localStates(meter, windows, shares, nowMs) };
  }

  /** The windows that run, and new ones in place of those that do not. */
  #localWindows(meter: Meter, nowMs: number): WindowAccount[] {
    const counts = this.counts(meter);
    return meter.windows.map(({ name, epoch }, i) => {
      const { seen, local: own, units } = this.#windows[name];
      const { consumedPoints: used = 0, msBeforeNext = 0 } = counts[i] ?? {};
      const endsAtMs = msBeforeNext > 0 ? nowMs + msBeforeNext : undefined;
      if (own?.endsAtMs === undefined || own.epoch < epoch) {
        // What is left of a lease can be spent.
        const leased = own === undefined && endsAtMs !== undefined ? units : 0;
        const usedBefore = Math.max(0, used - leased);
        const local = { epoch, usedBefore, admitted: 0, endsAtMs, follows: false };
        return { seen, local, units: leased };
      }
      if (own.endsAtMs > nowMs) return this.#windows[name];
      // The store's answers tell the end of a window more or less late: this may be the one that has ended. If it is
      // another one, the process may have admitted what the store does not know of, so the new one is whole.
      const isAnother = endsAtMs !== undefined && endsAtMs - own.endsAtMs > SAME_WINDOW_MS;
      const usedBefore = isAnother ? used : 0;
      return {
        seen,
        local: { epoch, usedBefore, admitted: 0, endsAtMs: undefined, follows: true },
        units: 0,
      };
    });
  }

  #localStates(
    meter: Meter,
    windows: readonly WindowAccount[],
    shares: number,
    nowMs: number,
  ): WindowState[] {
    return meter.windows.map((window, i) => {
      const { usedBefore = 0, admitted = 0, endsAtMs } = windows[i]?.local ?? {};
      // The limit can change while the window runs.
      const share = Math.floor(Math.max(0, window.limit - usedBefore) / shares);
      const resetAtMs = endsAtMs === undefined ? undefined : this.#clocks.clock() + endsAtMs - nowMs;
      const known = windowState(window, usedBefore + admitted, resetAtMs);
      return { ...known, remaining: Math.max(0, share - admitted) };
    });
  }

  /** A window that has not begun, and of which this process may admit less than the cost, does not begin later either. */
  #begun(states: readonly WindowState[], cost: number): WindowState[] {
    return states.map((one) =>
      cost > one.remaining
        ? { ...one, resetAtMs: one.resetAtMs ?? this.#clocks.clock() + this.#wholeMs(one.name) }
        : one,
    );
  }

  /**
   * How long a window that begins now lasts. An aligned window ends when the store's does, if this process has seen one,
   * whatever its clock says: not with the rest of a window that may have ended.
   */
  #wholeMs(name: WindowName): number {
    const endMs = this.#clocks.alignedEndsMs.get(name);
    if (endMs === undefined) return wholeWindowMs(name, this.#clocks.clock());
    const { lengthMs } = WINDOWS[name];
    const leftMs = (((endMs - this.#clocks.stopwatchMs()) % lengthMs) + lengthMs) % lengthMs;
    return leftMs > SAME_WINDOW_MS ? leftMs : leftMs + lengthMs;
  }

  /**
   * Takes the units between this process and the store, for the store. Those of a window that has ended go into the one
   * that the store is known to run.
   */
  takeUnits(): TakenUnits {
    const nowMs = this.#clocks.stopwatchMs();
    const { meter } = this;
    const known = this.counts(meter);
    const windows = meter.windows.map(({ name }) => this.#windows[name]);
    const taken = windows.map(({ units }) => units);
    for (const window of windows) window.units = 0;
    return {
      // The request that came last may have been authenticated before a reset.
      meter: {
        ...meter,
        windows: meter.windows.map((window, i) => {
          const { local, seen } = windows[i] ?? {};
          return { ...window, epoch: local?.epoch ?? seen?.epoch ?? window.epoch };
        }),
      },
      units: taken.map((units) => -units),
      leftMs: windows.map(({ local, seen }, i) => {
        const leftMs = (local === undefined ? seen?.latestEndMs : local.endsAtMs) ?? nowMs;
        return leftMs > nowMs ? leftMs - nowMs : (known[i]?.msBeforeNext ?? 0);
      }),
      follows: meter.windows.some(
        ({ name }, i) => !WINDOWS[name].isAligned && windows[i]?.local?.follows === true,
      ),
      putBack() {
        // Units that the store may have returned already are not spent twice.
        for (const [i, window] of windows.entries()) window.units += Math.min(0, taken[i] ?? 0);
      },
    };
  }

  /** The store has what was admitted without it. */
  endLocal(): void {
    for (const name of WINDOW_NAMES) this.#windows[name].local = undefined;
  }

  #seenIn({ name, epoch }: WindowLimit): Seen | undefined {
    const { seen } = this.#windows[name];
    return seen !== undefined && seen.epoch >= epoch ? seen : undefined;
  }
}

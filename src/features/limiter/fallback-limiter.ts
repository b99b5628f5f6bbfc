import type { Clock } from '../../lib/clock.js';
import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import {
  wholeWindowMs,
  windowState,
  type Meter,
  type WindowName,
  type WindowState,
} from '../plans/window.js';
import { QuotaStoreError, type Decision, type Limiter, type Refusal } from './limiter.js';
import { refusalIn, type StoreLimiter } from './store-limiter.js';

export interface OutageSettings {
  /** Gateways × workers that share the store: each admits its share of what is left while the store is down. */
  shares: number;
  /** How long a request waits for the store before it is decided locally and the store counts as down. */
  callTimeoutMs: number;
  /** How long a store that is down is left alone between two probes. */
  retryMs: number;
  /** How long local limits stay in force once the store answers again: until every process has settled with it. */
  holdMs: number;
  /** Asks the store for what a charge needs, a write; rejects while it cannot be had. */
  probe: () => Promise<unknown>;
  onOutage: (error: unknown) => void;
  onRecovery: (state: OutageState) => void;
  clock: Clock;
  /** Milliseconds from any beginning, which nobody sets. */
  stopwatchMs?: Clock;
}

export interface OutageState {
  /** Whether local limits are in force. */
  down: boolean;
  /** Since the start of this process. */
  outages: number;
  /** Charges, rejections from memory and reads that the local limit answered, since the start of this process. */
  decidedLocally: number;
}

export interface FallbackLimiter extends Limiter {
  state(): Readonly<OutageState>;
  /** Whether the store takes writes; asks it, unless it is known to be down. */
  check(): Promise<boolean>;
  /** Ends the probes, and adds to the store what was admitted without it, if the store takes that in time. */
  close(): Promise<void>;
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
}

/** What is still to be settled of a key. Until then, the store does not decide about the key. */
interface Account {
  meter: Meter;
  windows: Partial<Record<WindowName, LocalWindow>>;
  settling?: Promise<void> | undefined;
}

/**
 * From the store's going or coming back to the next time: the answer to a question of an earlier one says nothing about
 * this one. When the store fails, everything that it was asked is given up.
 */
interface Episode {
  aborted: boolean;
  /** For each question that is not answered yet, what gives it up. */
  asked: Set<(error: unknown) => void>;
}

const newEpisode = (): Episode => ({ aborted: false, asked: new Set() });

/** Keys that are settled with the store at once. */
const SETTLED_AT_ONCE = 200;

/**
 * Keeps admitting while the quota store is down: never unlimited, never an error. A small circuit breaker: once a call
 * failed, no request waits for the store. A probe, one at a time, finds out when the store is back.
 *
 * Meanwhile each window admits this process's share of what the process last knew to remain. A key that it has not seen
 * in this window gets its share of the limit. When the store is back, the process adds what it admitted to the store's
 * counts. If processes share the store, local limits stay in force until the others have added theirs as well. What it
 * admits meanwhile it adds at once: another process may be back at the store already. A request whose key is not settled
 * by then settles it first, in the time that it has for the store.
 */
export function createFallbackLimiter(
  primary: StoreLimiter,
  {
    shares,
    callTimeoutMs,
    retryMs,
    holdMs,
    probe,
    onOutage,
    onRecovery,
    clock,
    stopwatchMs = () => performance.now(),
  }: OutageSettings,
): FallbackLimiter {
  const state: OutageState = { down: false, outages: 0, decidedLocally: 0 };
  let episode = newEpisode();
  /** The store answers, and local limits stay in force until the other processes have settled. */
  let isHolding = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const accounts = new Map<string, Account>();

  function failed(askedIn: Episode, error: unknown): void {
    if (state.down || askedIn !== episode) return;
    state.down = true;
    state.outages += 1;
    // The local limits do not know of the requests in progress: also admitted by the store, they would be too many.
    episode.aborted = true;
    const { asked } = episode;
    // An answer that has arrived reaches its request first: its units are counted.
    setImmediate(() => {
      for (const giveUp of asked) giveUp(new QuotaStoreError(error));
    });
    episode = newEpisode();
    onOutage(error);
    later(retryMs, probeNow);
  }

  function later(ms: number, step: () => Promise<void>): void {
    if (!closed) timer = setTimeout(() => void step(), ms).unref();
  }

  async function probeNow(): Promise<void> {
    try {
      await withTimeout(probe(), callTimeoutMs);
      await settleAll();
    } catch {
      later(retryMs, probeNow);
      return;
    }
    isHolding = shares > 1;
    if (isHolding) later(holdMs, recover);
    else await recover();
  }

  /** Back to the store, each key once the store has what was admitted of it meanwhile. */
  async function recover(): Promise<void> {
    // Otherwise a busy key would be settled again and again, and all keys would stay with the local limits.
    isHolding = false;
    try {
      await settleAll();
    } catch {
      later(retryMs, probeNow);
      return;
    }
    state.down = false;
    const recovered = (episode = newEpisode());
    onRecovery(state);
    await settleAll().catch((error: unknown) => failed(recovered, error));
  }

  const answers = (): Promise<boolean> =>
    withTimeout(probe(), callTimeoutMs).then(
      () => true,
      () => false,
    );

  /** Adds to the store what was admitted without it. @throws QuotaStoreError */
  async function settleAll(): Promise<void> {
    const all = [...accounts.values()];
    for (let i = 0; i < all.length; i += SETTLED_AT_ONCE)
      await Promise.all(all.slice(i, i + SETTLED_AT_ONCE).map(settle));
  }

  /** Nothing of these keys is left to settle afterwards. @throws QuotaStoreError */
  async function settled(meters: readonly Meter[]): Promise<void> {
    const unsettled = meters.flatMap(({ id }) => accounts.get(id) ?? []);
    if (unsettled.length === 0) return;
    await Promise.all(unsettled.map(settle));
    if (state.down) throw new QuotaStoreError(new Error('down again'));
  }

  function settle(account: Account): Promise<void> {
    return (account.settling ??= settleOnce(account));
  }

  /** Closes the account if the store is up. */
  async function settleOnce(account: Account): Promise<void> {
    try {
      do await addUnits(account);
      while ((isHolding || !state.down) && hasUnits(account));
      if (!state.down) accounts.delete(account.meter.id);
    } finally {
      // At once, and not by the caller: a charge in the microtask between would join a settlement that has ended.
      account.settling = undefined;
    }
  }

  const hasUnits = ({ meter, windows }: Account) =>
    meter.windows.some(({ name }) => (windows[name]?.units ?? 0) > 0);

  async function addUnits(account: Account): Promise<void> {
    if (!hasUnits(account)) return;
    const { meter, windows } = account;
    const local = meter.windows.map(({ name }) => windows[name]);
    const units = local.map((window) => window?.units ?? 0);
    const nowMs = stopwatchMs();
    const leftMs = local.map((window) => (window?.endsAtMs ?? nowMs) - nowMs);
    // The request that came last may have been authenticated before a reset.
    const counted = meter.windows.map((window, i) => ({ ...window, epoch: local[i]?.epoch ?? window.epoch }));
    for (const window of local) if (window !== undefined) window.units = 0;
    try {
      await primary.add({ ...meter, windows: counted }, units, leftMs);
    } catch (error) {
      // Whether the store has them is unknown. Counted twice, they reject too much; forgotten, they admit too much.
      for (const [i, window] of local.entries()) if (window !== undefined) window.units += units[i] ?? 0;
      throw error;
    }
  }

  /** The windows that run, and new ones in place of those that do not. */
  function localWindows(meter: Meter, nowMs: number): LocalWindow[] {
    const windows = accounts.get(meter.id)?.windows ?? {};
    const known = primary.known.of(meter);
    return meter.windows.map(({ name, epoch }, i) => {
      const running = windows[name];
      if (running !== undefined && (running.endsAtMs ?? 0) > nowMs && running.epoch >= epoch) return running;
      const { consumedPoints: usedBefore = 0, msBeforeNext = 0 } = known[i] ?? {};
      const endsAtMs = msBeforeNext > 0 ? nowMs + msBeforeNext : undefined;
      return { epoch, usedBefore, admitted: 0, units: 0, endsAtMs };
    });
  }

  /** What this process may not admit counts as used. */
  function localStates(meter: Meter, windows: readonly LocalWindow[], nowMs: number): WindowState[] {
    return meter.windows.map((window, i) => {
      const { usedBefore = 0, admitted = 0, endsAtMs } = windows[i] ?? {};
      // The limit can change while the window runs.
      const share = Math.floor(Math.max(0, window.limit - usedBefore) / shares);
      const resetAtMs = endsAtMs === undefined ? undefined : clock() + endsAtMs - nowMs;
      return windowState(window, window.limit - share + admitted, resetAtMs);
    });
  }

  function peekLocally(meter: Meter): WindowState[] {
    const nowMs = stopwatchMs();
    return localStates(meter, localWindows(meter, nowMs), nowMs);
  }

  function foreseeLocally(meter: Meter, cost: number): Refusal | undefined {
    return refuseLocally(peekLocally(meter), cost);
  }

  function refuseLocally(states: readonly WindowState[], cost: number): Refusal | undefined {
    const nowMs = clock();
    // A window that has not begun, and of which this process may admit less than the cost, does not begin later either.
    const begun = states.map((one) => ({ ...one, resetAtMs: one.resetAtMs ?? nowMs + wholeMs(one.name) }));
    return refusalIn(begun, cost, nowMs);
  }

  function chargeLocally(meter: Meter, cost: number): Decision {
    // Read once: no window ends between the decision and the count.
    const nowMs = stopwatchMs();
    const windows = localWindows(meter, nowMs);
    const refusal = refuseLocally(localStates(meter, windows, nowMs), cost);
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
    // The store answers, and others may be back at it.
    const askedIn = episode;
    if (isHolding) void settle(account).catch((error: unknown) => failed(askedIn, error));
    return { admitted: true, windows: localStates(meter, windows, nowMs) };
  }

  /** The day ends when the store's does, if this process has seen a day of the store. */
  function wholeMs(name: WindowName): number {
    return (name === 'day' ? primary.known.dayLeftMs() : undefined) ?? wholeWindowMs(name, clock());
  }

  async function guard<T>(
    meters: readonly Meter[],
    ask: (givenUp: Readonly<Episode>) => Promise<T>,
    instead: () => T,
  ): Promise<T> {
    if (!state.down) {
      const askedIn = episode;
      let giveUp: (error: unknown) => void = () => undefined;
      try {
        const answer = new Promise<T>((resolve, reject) => {
          askedIn.asked.add((giveUp = reject));
          settled(meters)
            .then(() => ask(askedIn))
            .then(resolve, reject);
        });
        return await withTimeout(answer, callTimeoutMs);
      } catch (error) {
        if (!(error instanceof QuotaStoreError || error instanceof TimeoutError)) throw error;
        failed(askedIn, error);
      } finally {
        askedIn.asked.delete(giveUp);
      }
    }
    state.decidedLocally += 1;
    return instead();
  }

  function rememberedLocally(meter: Meter, cost: number): ReturnType<Limiter['remembered']> {
    const refusal = state.down ? foreseeLocally(meter, cost) : undefined;
    // As in the store's limiter: a request that finds something left is decided by its charge.
    if (refusal === undefined || refusal.windows.every(({ remaining }) => remaining > 0)) return undefined;
    state.decidedLocally += 1;
    return refusal;
  }

  return {
    charge: (meter, cost) =>
      guard(
        [meter],
        (givenUp) => primary.charge(meter, cost, givenUp),
        () => chargeLocally(meter, cost),
      ),
    remembered: (meter, cost) => primary.remembered(meter, cost) ?? rememberedLocally(meter, cost),
    foresee: (meter, cost) =>
      guard(
        [meter],
        () => primary.foresee(meter, cost),
        () => foreseeLocally(meter, cost),
      ),
    peek: (meter) =>
      guard(
        [meter],
        () => primary.peek(meter),
        () => peekLocally(meter),
      ),
    peekMany: (meters) =>
      guard(
        meters,
        () => primary.peekMany(meters),
        () => meters.map(peekLocally),
      ),
    state: () => state,
    async check() {
      if (state.down) return false;
      const askedIn = episode;
      if (await answers()) return true;
      failed(askedIn, new QuotaStoreError(new Error('a probe was not answered')));
      return false;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await withTimeout(settleAll(), callTimeoutMs).catch(() => undefined);
    },
  };
}

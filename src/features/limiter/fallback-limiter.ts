import type { Clock } from '../../lib/clock.js';
import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import { wholeWindowMs, type Meter, type WindowName } from '../plans/window.js';
import { QuotaStoreError, type Limiter } from './limiter.js';
import { createMemoryQuotaStore } from './memory-quota-store.js';
import { createStoreLimiter, type StoreLimiter } from './store-limiter.js';

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
  /** Ends the probes. */
  close(): void;
}

/** What this process admitted of one window without the store. */
interface Spent {
  epoch: number;
  units: number;
  endsAtMs: number;
  /** What the store had counted when this began. */
  usedBefore: number;
  /** Units that this process may not admit. They count as used. */
  withheld: number;
}

interface Account {
  meter: Meter;
  windows: Partial<Record<WindowName, Spent>>;
}

/** Keys that are settled with the store at once. */
const SETTLED_AT_ONCE = 200;

/**
 * Keeps admitting while the quota store is down: never unlimited, never an error. A small circuit breaker: once a call
 * failed, no request waits for the store. A probe, one at a time, finds out when the store is back.
 *
 * Meanwhile each window admits this process's share of what the process last knew to remain. A key that it has not seen
 * in this window gets its share of the limit. When the store is back, the process adds what it admitted to the store's
 * counts. If processes share the store, local limits stay in force until the others have added theirs as well.
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
  /** Raised whenever the store goes or comes back: what was asked in an earlier one tells nothing about this one. */
  let episode = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let local = newLocal();
  const accounts = new Map<string, Account>();
  /** The last step back to the store. Requests wait for it, so that nothing is admitted that the store does not know. */
  let settling: Promise<boolean> | undefined;

  function newLocal(): StoreLimiter {
    return createStoreLimiter(createMemoryQuotaStore(clock), clock, stopwatchMs);
  }

  function failed(askedIn: number, error: unknown): void {
    if (state.down || askedIn !== episode) return;
    state.down = true;
    state.outages += 1;
    episode += 1;
    onOutage(error);
    later(retryMs, probeNow);
  }

  function later(ms: number, step: () => Promise<void>): void {
    if (!closed) timer = setTimeout(() => void step(), ms).unref();
  }

  async function probeNow(): Promise<void> {
    if (!(await answers()) || !(await settle())) later(retryMs, probeNow);
    else if (shares > 1) later(holdMs, recover);
    else await recover();
  }

  /** Back to the store, once it has what was admitted meanwhile. */
  async function recover(): Promise<void> {
    settling = settle();
    const isSettled = await settling;
    settling = undefined;
    if (!isSettled) {
      later(retryMs, probeNow);
      return;
    }
    local = newLocal();
    accounts.clear();
    state.down = false;
    episode += 1;
    onRecovery(state);
  }

  const answers = (): Promise<boolean> =>
    withTimeout(probe(), callTimeoutMs).then(
      () => true,
      () => false,
    );

  /** Adds to the store what was admitted without it. Whether it has all of it. */
  async function settle(): Promise<boolean> {
    const unsettled = [...accounts.values()].filter(({ windows }) =>
      Object.values(windows).some(({ units }) => units > 0),
    );
    let isSettled = true;
    for (let i = 0; i < unsettled.length && isSettled; i += SETTLED_AT_ONCE) {
      const settled = await Promise.all(unsettled.slice(i, i + SETTLED_AT_ONCE).map(settleOne));
      isSettled = settled.every(Boolean);
    }
    return isSettled;
  }

  async function settleOne({ meter, windows }: Account): Promise<boolean> {
    const spent = meter.windows.map(({ name }) => windows[name]);
    const units = spent.map((one) => one?.units ?? 0);
    const leftMs = spent.map((one) => (one === undefined ? 0 : one.endsAtMs - stopwatchMs()));
    for (const one of spent) if (one !== undefined) one.units = 0;
    try {
      await primary.add(meter, units, leftMs);
      return true;
    } catch {
      // Whether the store has them is unknown. Counted twice, they reject too much; forgotten, they admit too much.
      for (const [i, one] of spent.entries()) if (one !== undefined) one.units += units[i] ?? 0;
      return false;
    }
  }

  /** The account of a meter, whose local windows have started. */
  function accountOf(meter: Meter): Account {
    const nowMs = stopwatchMs();
    const account = accounts.get(meter.id) ?? { meter, windows: {} };
    accounts.set(meter.id, account);
    account.meter = meter;
    const known = primary.known.of(meter);
    const [units, leftMs]: [number[], number[]] = [[], []];
    for (const [i, window] of meter.windows.entries()) {
      let spent = account.windows[window.name];
      if (spent === undefined || spent.endsAtMs <= nowMs || spent.epoch < window.epoch) {
        const { consumedPoints: usedBefore = 0, msBeforeNext = 0 } = known[i] ?? {};
        const endsInMs = msBeforeNext > 0 ? msBeforeNext : wholeWindowMs(window.name, clock());
        const endsAtMs = nowMs + endsInMs;
        spent = { epoch: window.epoch, units: 0, endsAtMs, usedBefore, withheld: 0 };
        account.windows[window.name] = spent;
      }
      // The limit can change while the window runs.
      const remaining = Math.max(0, window.limit - spent.usedBefore);
      const withheld = window.limit - Math.floor(remaining / shares);
      units.push(withheld - spent.withheld);
      leftMs.push(spent.endsAtMs - nowMs);
      spent.withheld = withheld;
    }
    // In the memory this is done before what follows it.
    if (units.some((one) => one !== 0)) void local.add(meter, units, leftMs);
    return account;
  }

  async function chargeLocally(meter: Meter, cost: number): ReturnType<Limiter['charge']> {
    const account = accountOf(meter);
    const { windows } = account;
    const decision = await local.charge(meter, cost);
    if (decision.admitted) for (const spent of Object.values(windows)) spent.units += cost;
    return decision;
  }

  async function guard<T>(
    ask: (givenUp: { readonly aborted: boolean }) => Promise<T>,
    instead: () => Promise<T>,
  ): Promise<T> {
    if (settling !== undefined) await settling;
    if (!state.down) {
      const askedIn = episode;
      const givenUp = { aborted: false };
      try {
        return await withTimeout(ask(givenUp), callTimeoutMs);
      } catch (error) {
        givenUp.aborted = true;
        if (!(error instanceof QuotaStoreError || error instanceof TimeoutError)) throw error;
        failed(askedIn, error);
      }
    }
    state.decidedLocally += 1;
    return instead();
  }

  function rememberedLocally(meter: Meter, cost: number): ReturnType<Limiter['remembered']> {
    const refusal = state.down ? local.remembered(meter, cost) : undefined;
    if (refusal !== undefined) state.decidedLocally += 1;
    return refusal;
  }

  return {
    charge: (meter, cost) =>
      guard(
        (givenUp) => primary.charge(meter, cost, givenUp),
        () => chargeLocally(meter, cost),
      ),
    remembered: (meter, cost) => primary.remembered(meter, cost) ?? rememberedLocally(meter, cost),
    foresee: (meter, cost) =>
      guard(
        () => primary.foresee(meter, cost),
        () => local.foresee(accountOf(meter).meter, cost),
      ),
    peek: (meter) =>
      guard(
        () => primary.peek(meter),
        () => local.peek(accountOf(meter).meter),
      ),
    peekMany: (meters) =>
      guard(
        () => primary.peekMany(meters),
        () => local.peekMany(meters.map((meter) => accountOf(meter).meter)),
      ),
    state: () => state,
    async check() {
      if (state.down) return false;
      const askedIn = episode;
      if (await answers()) return true;
      failed(askedIn, new QuotaStoreError(new Error('a probe was not answered')));
      return false;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

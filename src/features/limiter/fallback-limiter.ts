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
  /** Ends the probes, and adds to the store what was admitted without it, if the store takes that in time. */
  close(): Promise<void>;
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

/** What is still to be settled of a key. Until then, the store does not decide about the key. */
interface Account {
  meter: Meter;
  /** The same windows under a name that only this account has. */
  local: Meter;
  windows: Partial<Record<WindowName, Spent>>;
  /** Resolves once all charges so far are decided; another promise after each charge. */
  charged: Promise<void>;
  settling?: Promise<void> | undefined;
}

/**
 * From the store's going or coming back to the next time: the answer to a question of an earlier one says nothing about
 * this one. When the store fails, everything that it was asked is given up.
 */
interface Episode {
  aborted: boolean;
}

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
  let episode: Episode = { aborted: false };
  /** The store answers, and local limits stay in force until the other processes have settled. */
  let isHolding = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let local = newLocal();
  const accounts = new Map<string, Account>();
  let accountsMade = 0;

  function newLocal(): StoreLimiter {
    return createStoreLimiter(createMemoryQuotaStore(clock), clock, stopwatchMs);
  }

  function failed(askedIn: Episode, error: unknown): void {
    if (state.down || askedIn !== episode) return;
    state.down = true;
    state.outages += 1;
    // The local limits do not know of the requests in progress: also admitted by the store, they would be too many.
    episode.aborted = true;
    episode = { aborted: false };
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
    const recovered = (episode = { aborted: false });
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
    account.settling ??= settleOnce(account).finally(() => (account.settling = undefined));
    return account.settling;
  }

  /** Closes the account if the store is up. */
  async function settleOnce(account: Account): Promise<void> {
    let charged: Promise<void>;
    do {
      charged = account.charged;
      await charged;
      await addSpent(account);
    } while ((isHolding || !state.down) && charged !== account.charged);
    if (state.down) return;
    accounts.delete(account.meter.id);
    if (accounts.size === 0) local = newLocal();
  }

  async function addSpent({ meter, windows }: Account): Promise<void> {
    const spent = meter.windows.map(({ name }) => windows[name]);
    const units = spent.map((one) => one?.units ?? 0);
    if (units.every((one) => one === 0)) return;
    const leftMs = spent.map((one) => (one === undefined ? 0 : one.endsAtMs - stopwatchMs()));
    for (const one of spent) if (one !== undefined) one.units = 0;
    try {
      await primary.add(meter, units, leftMs);
    } catch (error) {
      // Whether the store has them is unknown. Counted twice, they reject too much; forgotten, they admit too much.
      for (const [i, one] of spent.entries()) if (one !== undefined) one.units += units[i] ?? 0;
      throw error;
    }
  }

  function newAccount(meter: Meter): Account {
    const named = { ...meter, id: `${meter.id} ${++accountsMade}` };
    const account = { meter, local: named, windows: {}, charged: Promise.resolve() };
    accounts.set(meter.id, account);
    return account;
  }

  /** The account of a meter, whose local windows have started. */
  function accountOf(meter: Meter): Account {
    const nowMs = stopwatchMs();
    const account = accounts.get(meter.id) ?? newAccount(meter);
    account.meter = meter;
    account.local = { ...meter, id: account.local.id };
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
    if (units.some((one) => one !== 0)) void local.add(account.local, units, leftMs);
    return account;
  }

  async function chargeLocally(meter: Meter, cost: number): ReturnType<Limiter['charge']> {
    const account = accountOf(meter);
    const { windows, charged } = account;
    const decided = local.charge(account.local, cost).then((decision) => {
      if (decision.admitted) for (const spent of Object.values(windows)) spent.units += cost;
      return decision;
    });
    account.charged = Promise.allSettled([charged, decided]).then(() => undefined);
    // The store answers, and others may be back at it.
    const askedIn = episode;
    if (isHolding) void settle(account).catch((error: unknown) => failed(askedIn, error));
    return decided;
  }

  async function guard<T>(
    meters: readonly Meter[],
    ask: (givenUp: Readonly<Episode>) => Promise<T>,
    instead: () => Promise<T>,
  ): Promise<T> {
    // A request that was given up, and whose outage is over, asks the store again.
    while (!state.down) {
      const askedIn = episode;
      try {
        const answer = settled(meters).then(() => ask(askedIn));
        return await withTimeout(answer, callTimeoutMs);
      } catch (error) {
        if (!(error instanceof QuotaStoreError || error instanceof TimeoutError)) throw error;
        failed(askedIn, error);
      }
    }
    state.decidedLocally += 1;
    return instead();
  }

  function rememberedLocally(meter: Meter, cost: number): ReturnType<Limiter['remembered']> {
    const account = state.down ? accounts.get(meter.id) : undefined;
    const refusal = account && local.remembered({ ...meter, id: account.local.id }, cost);
    if (refusal !== undefined) state.decidedLocally += 1;
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
        () => local.foresee(accountOf(meter).local, cost),
      ),
    peek: (meter) =>
      guard(
        [meter],
        () => primary.peek(meter),
        () => local.peek(accountOf(meter).local),
      ),
    peekMany: (meters) =>
      guard(
        meters,
        () => primary.peekMany(meters),
        () => local.peekMany(meters.map((meter) => accountOf(meter).local)),
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

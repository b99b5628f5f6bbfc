import type { Clock } from '../../lib/clock.js';
import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import type { Meter } from '../plans/window.js';
import { QuotaStoreError, type Decision, type Limiter } from './limiter.js';
import { createLocalWindows, hasUnits, takeUnits, type Account } from './local-windows.js';
import type { StoreLimiter } from './store-limiter.js';

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
  /**
   * Why the store takes no writes, as a QuotaStoreError or TimeoutError; undefined if it takes them. Asks the store,
   * unless it is known to be down. Changes nothing: only what a charge, a read or a settlement meets is an outage.
   */
  check(): Promise<unknown>;
  /** Ends the probes, and adds to the store what was admitted without it, if the store takes that in time. */
  close(): Promise<void>;
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
 * failed, no request waits for the store. A probe, one at a time, finds out when the store is back. Only requests that
 * pass authentication find out that it is down: the check of a health request does not, so nobody can start an outage.
 *
 * Meanwhile each window admits this process's share of what is left (local-windows.ts). When the store is back, the
 * process adds what it admitted to the store's counts. If processes share the store, local limits stay in force until the
 * others have added theirs as well. What it admits meanwhile it adds at once: another process may be back at the store
 * already. A request whose key is not settled by then settles it first, in the time that it has for the store.
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
  /** Why the store is down, as its last answer says. */
  let reason: unknown;
  /** The store answers, and local limits stay in force until the other processes have settled. */
  let isHolding = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const local = createLocalWindows({ known: primary.known, shares, clock, stopwatchMs });
  /** In progress. */
  const settlements = new Map<Account, Promise<void>>();

  function failed(askedIn: Episode, error: unknown): void {
    if (state.down || askedIn !== episode) return;
    state.down = true;
    state.outages += 1;
    reason = error;
    // The local limits do not know of the requests in progress: also admitted by the store, they would be too many.
    episode.aborted = true;
    const { asked } = episode;
    // An answer that has arrived reaches its request first: its units are counted.
    setImmediate(() => {
      for (const giveUp of asked) giveUp(new QuotaStoreError(error));
      // Only now: after a recovery, the store would not know of what these are admitted.
      later(retryMs, probeNow);
    });
    episode = newEpisode();
    onOutage(error);
  }

  function later(ms: number, step: () => Promise<void>): void {
    if (!closed) timer = setTimeout(() => void step(), ms).unref();
  }

  async function probeNow(): Promise<void> {
    try {
      await withTimeout(probe(), callTimeoutMs);
      await settleAll();
    } catch (error) {
      reason = error;
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

  /**
   * Adds to the store what was admitted without it.
   * @param all whether a store that fails for some keys is asked for the others. Each can have a node of its own.
   * @throws QuotaStoreError
   */
  async function settleAll(all: 'until one fails' | 'as far as possible' = 'until one fails'): Promise<void> {
    const accounts = [...local.accounts.values()];
    for (let i = 0; i < accounts.length; i += SETTLED_AT_ONCE) {
      const group = accounts.slice(i, i + SETTLED_AT_ONCE).map(settle);
      await (all === 'until one fails' ? Promise.all(group) : Promise.allSettled(group));
    }
  }

  /** Nothing of these keys is left to settle afterwards. @throws QuotaStoreError */
  async function settled(meters: readonly Meter[]): Promise<void> {
    const unsettled = meters.flatMap(({ id }) => local.accounts.get(id) ?? []);
    if (unsettled.length === 0) return;
    await Promise.all(unsettled.map(settle));
    if (state.down) throw new QuotaStoreError(new Error('down again'));
  }

  function settle(account: Account): Promise<void> {
    const settlement = settlements.get(account) ?? settleOnce(account);
    settlements.set(account, settlement);
    return settlement;
  }

  /** Closes the account if the store is up. */
  async function settleOnce(account: Account): Promise<void> {
    try {
      do await addUnits(account);
      while ((isHolding || !state.down || closed) && hasUnits(account));
      if (!state.down) local.accounts.delete(account.meter.id);
    } finally {
      // At once, and not by the caller: a charge in the microtask between would join a settlement that has ended.
      settlements.delete(account);
    }
  }

  async function addUnits(account: Account): Promise<void> {
    if (!hasUnits(account)) return;
    const { meter, units, leftMs, follows, putBack } = takeUnits(
      account,
      primary.known.of(account.meter),
      stopwatchMs(),
    );
    try {
      await primary.add(meter, units, leftMs, follows);
    } catch (error) {
      // Whether the store has them is unknown. Counted twice, they reject too much; forgotten, they admit too much.
      putBack();
      throw error;
    }
  }

  function chargeLocally(meter: Meter, cost: number): Decision {
    const decision = local.charge(meter, cost);
    const account = local.accounts.get(meter.id);
    // The store answers, and others may be back at it.
    const askedIn = episode;
    if (decision.admitted && isHolding && account !== undefined)
      void settle(account).catch((error: unknown) => failed(askedIn, error));
    return decision;
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
    const refusal = state.down ? local.foresee(meter, cost) : undefined;
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
        () => local.foresee(meter, cost),
      ),
    peek: (meter) =>
      guard(
        [meter],
        () => primary.peek(meter),
        () => local.peek(meter),
      ),
    peekMany: (meters) =>
      guard(
        meters,
        () => primary.peekMany(meters),
        () => meters.map((meter) => local.peek(meter)),
      ),
    state: () => state,
    check: () =>
      state.down
        ? Promise.resolve(reason)
        : withTimeout(probe(), callTimeoutMs).then(
            () => undefined,
            (error: unknown) => error,
          ),
    async close() {
      closed = true;
      clearTimeout(timer);
      await withTimeout(settleAll('as far as possible'), callTimeoutMs).catch(() => undefined);
    },
  };
}

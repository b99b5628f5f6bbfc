import { withTimeout } from '../../lib/with-timeout.js';
import type { Meter, WindowState } from '../plans/window.js';
import type { Accounts } from './accounts.js';
import type { QuotaSource } from './limiter.js';

export interface OutageSettings {
  /** Whether other processes share the store: local limits stay in force until they have settled with it too. */
  isShared: boolean;
  /** How long a probe, and the settlement at the end of the process, may take. */
  callTimeoutMs: number;
  /** How long a store that is down is left alone between two probes. */
  retryMs: number;
  /** How long local limits stay in force once the store answers again: until every process has settled with it. */
  holdMs: number;
  /** Asks the store for what a charge needs, a write; rejects while it cannot be had. */
  probe: () => Promise<unknown>;
  onOutage: (error: unknown) => void;
  onRecovery: (state: OutageState) => void;
}

export interface OutageState {
  /** Whether local limits are in force. */
  down: boolean;
  /** Since the start of this process. */
  outages: number;
  /** Charges, rejections from memory and reads that the local limit answered, since the start of this process. */
  decidedLocally: number;
}

export interface Outages {
  /** Decides, for the library's insurance limiters, what the store did not. */
  insurance: QuotaSource;
  /** The windows, if the local limits in force certainly reject the cost. */
  remembered(meter: Meter, cost: number): readonly WindowState[] | undefined;
  state(): Readonly<OutageState>;
  /**
   * Why the store takes no writes, as a QuotaStoreError or TimeoutError; undefined if it takes them. Asks the store,
   * unless it is known to be down. Changes nothing: only what a charge, a read or a settlement meets is an outage.
   */
  check(): Promise<unknown>;
  /** Ends the probes, and adds to the store what was admitted without it, if the store takes that in time. */
  close(): Promise<void>;
}

/** Keys that are settled with the store at once. */
const SETTLED_AT_ONCE = 200;

/**
 * Keeps admitting while the quota store is down: never unlimited, never an error. A small circuit breaker: once a call
 * failed, no request waits for the store. A probe, one at a time, finds out when the store is back. Only requests that
 * pass authentication find out that it is down: the check of a health request does not, so nobody can start an outage.
 *
 * Meanwhile each window admits this process's share of what is left (account.ts). When the store is back, the process
 * adds what it admitted to the store's counts. If processes share the store, local limits stay in force until the others
 * have added theirs as well. What it admits meanwhile it adds at once: another process may be back at the store already.
 * A request whose key is not settled by then settles it first, in the time that it has for the store.
 */
export function createOutages(
  accounts: Accounts,
  { isShared, callTimeoutMs, retryMs, holdMs, probe, onOutage, onRecovery }: OutageSettings,
): Outages {
  const { mode, local } = accounts;
  const counts = { outages: 0, decidedLocally: 0 };
  /** Why the store is down, as its last answer says. */
  let reason: unknown;
  let timer: NodeJS.Timeout | undefined;

  accounts.onFailure = (error) => {
    if (mode.isDown) return;
    mode.isDown = true;
    counts.outages += 1;
    reason = error;
    // The local limits do not know of the requests in progress: also admitted by the store, they would be too many.
    accounts.giveUp(error);
    // The insurance decides these requests before the first probe, so a recovery settles what they are admitted.
    setImmediate(() => later(retryMs, probeNow));
    onOutage(error);
  };

  function later(ms: number, step: () => Promise<void>): void {
    if (!mode.isClosed) timer = setTimeout(() => void step(), ms).unref();
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
    mode.isHolding = isShared;
    if (isShared) later(holdMs, recover);
    else await recover();
  }

  /** Back to the store, each key once the store has what was admitted of it meanwhile. */
  async function recover(): Promise<void> {
    // Otherwise a busy key would be settled again and again, and all keys would stay with the local limits.
    mode.isHolding = false;
    try {
      await settleAll();
    } catch {
      later(retryMs, probeNow);
      return;
    }
    mode.isDown = false;
    const { outages } = counts;
    onRecovery(state());
    await settleAll().catch((error: unknown) => {
      if (counts.outages === outages) accounts.onFailure(error);
    });
  }

  /**
   * Adds to the store what was admitted without it.
   * @param all whether a store that fails for some keys is asked for the others. Each can have a node of its own.
   * @throws QuotaStoreError
   */
  async function settleAll(all: 'until one fails' | 'as far as possible' = 'until one fails'): Promise<void> {
    const unsettled = accounts.unsettled();
    for (let i = 0; i < unsettled.length; i += SETTLED_AT_ONCE) {
      const group = unsettled.slice(i, i + SETTLED_AT_ONCE).map((account) => accounts.settle(account));
      await (all === 'until one fails' ? Promise.all(group) : Promise.allSettled(group));
    }
  }

  const state = (): OutageState => ({ down: mode.isDown, ...counts });

  return {
    insurance: {
      charge(...given) {
        counts.decidedLocally += 1;
        return local.charge(...given);
      },
      read(...given) {
        counts.decidedLocally += 1;
        return local.read(...given);
      },
    },
    remembered(meter, cost) {
      if (!mode.isDown) return undefined;
      const windows = accounts.localStates(meter, cost);
      // As with the store: a request that finds something left is decided by its charge.
      if (windows.every(({ remaining }) => cost <= remaining)) return undefined;
      if (windows.every(({ remaining }) => remaining > 0)) return undefined;
      counts.decidedLocally += 1;
      return windows;
    },
    state,
    check: () =>
      mode.isDown
        ? Promise.resolve(reason)
        : withTimeout(probe(), callTimeoutMs).then(
            () => undefined,
            (error: unknown) => error,
          ),
    async close() {
      await accounts.close();
      clearTimeout(timer);
      await withTimeout(settleAll('as far as possible'), callTimeoutMs).catch(() => undefined);
    },
  };
}

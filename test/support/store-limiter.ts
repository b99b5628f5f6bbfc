import {
  createAccounts,
  LEASES,
  type Accounts,
  type AccountSettings,
  type LeasePolicy,
} from '../../src/features/limiter/accounts.js';
import type { Limiter } from '../../src/features/limiter/limiter.js';
import { createOutages, type Outages, type OutageSettings } from '../../src/features/limiter/outage.js';
import { createLimiterOfPlans } from '../../src/features/limiter/quota-limiter.js';
import {
  countOf,
  SAME_WINDOW_MS,
  type Counts,
  type QuotaStore,
} from '../../src/features/limiter/quota-store.js';
import type { Meter } from '../../src/features/plans/window.js';
import type { Clock } from '../../src/lib/clock.js';

/** A limiter whose store is an error when it fails. */
export interface StoreLimiter extends Limiter {
  /** Adds units that another process admitted without the store, and reads what is counted then. */
  add: (
    meter: Meter,
    units: readonly number[],
    leftMs: readonly number[],
    follows?: boolean,
  ) => Promise<void>;
  store: QuotaStore;
  settings: AccountSettings;
}
export type LeasingLimiter = StoreLimiter & Pick<Accounts, 'close'>;
export type FallbackLimiter = Limiter & Pick<Outages, 'state' | 'check' | 'close'>;

export function createStoreLimiter(
  store: QuotaStore,
  clock: Clock,
  stopwatchMs?: Clock,
  callTimeoutMs?: number,
): StoreLimiter {
  return limiterWith(store, { clock, stopwatchMs, callTimeoutMs });
}

/** The same with leases. */
export function createLeasingLimiter(
  { store, settings }: StoreLimiter,
  stopwatchMs?: Clock,
  leases: LeasePolicy = LEASES,
): LeasingLimiter {
  return limiterWith(store, { ...settings, leases, ...(stopwatchMs && { stopwatchMs }) });
}

function limiterWith(store: QuotaStore, settings: AccountSettings): LeasingLimiter {
  const { clock, stopwatchMs = clock } = settings;
  const decided = new Map<string, { windows: Counts; atMs: number }>();
  const keyOf = ({ id, windows }: Meter) => [id, ...windows.map(({ epoch }) => epoch)].join();
  const decide: QuotaStore['decide'] = async (meter, ...given) => {
    const outcome = await store.decide(meter, ...given);
    decided.set(keyOf(meter), { windows: outcome.windows, atMs: stopwatchMs() });
    return outcome;
  };
  // Tests replace methods of the store later.
  const noting = Object.assign(Object.create(store) as QuotaStore, { decide });
  const accounts = createAccounts(noting, settings);
  const limiter = createLimiterOfPlans(accounts, clock);
  return {
    ...limiter,
    store,
    settings,
    async add(meter, units, leftMs, follows) {
      // Leased units return first.
      await accounts.read(meter);
      const { windows = [], atMs = 0 } = decided.get(keyOf(meter)) ?? {};
      const known = windows.map(({ consumedPoints, msBeforeNext }, i) => {
        const limit = meter.windows[i]?.limit ?? 0;
        return countOf({ limit }, consumedPoints, msBeforeNext - (stopwatchMs() - atMs), SAME_WINDOW_MS);
      });
      await store.add(meter, units, leftMs, known, follows);
      await accounts.read(meter);
    },
    close: () => accounts.close(),
  };
}

export type FallbackSettings = Omit<OutageSettings, 'isShared'> & {
  shares: number;
  clock: Clock;
  stopwatchMs?: Clock;
};

/** The same with local limits while the store is down. */
export function createFallbackLimiter(
  { store, settings }: StoreLimiter,
  { shares, clock, stopwatchMs, ...given }: FallbackSettings,
): FallbackLimiter {
  const accounts = createAccounts(store, {
    ...settings,
    clock,
    shares,
    requestTimeoutMs: given.callTimeoutMs,
    ...(stopwatchMs && { stopwatchMs }),
  });
  const outages = createOutages(accounts, { ...given, isShared: shares > 1 });
  return {
    ...createLimiterOfPlans(accounts, clock, outages),
    state: () => outages.state(),
    check: () => outages.check(),
    close: () => outages.close(),
  };
}

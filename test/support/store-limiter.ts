import {
  createAccounts,
  LEASES,
  type Accounts,
  type AccountSettings,
  type LeasePolicy,
} from '../../src/features/limiter/accounts.js';
import type { Limiter } from '../../src/features/limiter/limiter.js';
import { createOutages, type Outages, type OutageSettings } from '../../src/features/limiter/outage.js';
import { createLimiter } from '../../src/features/limiter/quota-limiter.js';
import type { QuotaStore } from '../../src/features/limiter/quota-store.js';
import type { Clock } from '../../src/lib/clock.js';

/** A limiter whose store is an error when it fails. */
export interface StoreLimiter extends Limiter, Pick<Accounts, 'add'> {
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
  const accounts = createAccounts(store, settings);
  const limiter = createLimiter(accounts, settings.clock);
  return {
    ...limiter,
    store,
    settings,
    add: (...given) => accounts.add(...given),
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
    ...createLimiter(accounts, clock, outages),
    state: () => outages.state(),
    check: () => outages.check(),
    close: () => outages.close(),
  };
}

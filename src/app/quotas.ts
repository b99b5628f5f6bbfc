import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { OutageState } from '../features/limiter/fallback-limiter.js';
import { createQuotaLimiter, type QuotaLimiter } from '../features/limiter/quota-limiter.js';
import type { Instruments } from '../observability/metrics/instruments.js';
import { timed } from '../observability/metrics/timed.js';
import type { Counted } from '../features/plans/window.js';
import { quotaStoreOf } from './quota-stores.js';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import { createKeyQuotas, type KeyQuotas } from '../features/quotas/key-quotas.js';
import { createQuotasService, type QuotasService } from '../features/quotas/quotas-service.js';
import type { Stores } from './stores.js';
import type { Tracing } from '../observability/tracing/tracing.js';
import type { TrafficCounters } from '../features/usage/traffic-counters.js';
import type { UsageCounters } from '../features/usage/usage-counters.js';

/** The limiter on the store of the settings. */
export interface OpenQuotaLimiter extends QuotaLimiter {
  /** Removes the counters of deleted keys. @throws QuotaStoreError */
  forget: (keys: readonly Counted[]) => Promise<void>;
}

/** @param storeTime the clock of the store; tests pass their own */
export async function openQuotaLimiter(
  config: Config,
  connection: Connection,
  metrics: Pick<Instruments, 'timeStore' | 'timeDecision'>,
  log: Logger,
  clock: Clock,
  storeTime?: Clock,
): Promise<OpenQuotaLimiter> {
  const { name, open, canLoseCounts } = quotaStoreOf(config);
  const opened = await open(connection, log, storeTime);
  const store = timed(opened.store, metrics.timeStore(`quota_${name}`));
  const shares = config.quotaNodes * config.workers;
  const limiter = createQuotaLimiter({ name, store, canLoseCounts }, shares, log, clock, storeTime);
  return {
    ...limiter,
    limiter: timed(limiter.limiter, metrics.timeDecision),
    forget: (keys) => store.remove(keys),
    async close() {
      await limiter.close();
      await opened.close();
    },
  };
}

/** The quotas of keys: charges and usage. */
export interface Quotas {
  quotas: QuotasService;
  keyQuotas: KeyQuotas;
  /** Whether local limits are in force, and how often they have been. */
  quotaOutages: () => Readonly<OutageState>;
}

export interface QuotasParts {
  limiter: QuotaLimiter['limiter'];
  stores: Pick<Stores, 'apiKeys' | 'projects' | 'strikes'>;
  changedForAll: (change: KeyChange) => Promise<void>;
  usageCounters: Pick<UsageCounters, 'countBan'>;
  trafficCounters: Pick<TrafficCounters, 'countBan'>;
  metrics: Pick<Instruments, 'countBan'>;
  tracing: Pick<Tracing, 'limiter'>;
  log: Logger;
  clock: Clock;
}

export function createQuotas(
  { adminRequestsPerMinute, ban }: Config,
  {
    stores,
    changedForAll,
    usageCounters,
    trafficCounters,
    metrics,
    tracing,
    log,
    clock,
    ...parts
  }: QuotasParts,
): Quotas {
  const limiter = tracing.limiter(parts.limiter);
  return {
    quotas: createQuotasService({
      limiter,
      strikes: stores.strikes,
      keys: stores.apiKeys,
      banPolicy: ban,
      changed: (change) => void changedForAll(change),
      onBan(key) {
        usageCounters.countBan(key, clock());
        trafficCounters.countBan(clock());
        metrics.countBan();
      },
      clock,
      onError: (err) => log.warn({ err }, 'Could not record a strike'),
    }),
    keyQuotas: createKeyQuotas(limiter, stores.projects, adminRequestsPerMinute, clock),
    quotaOutages: () => limiter.state(),
  };
}

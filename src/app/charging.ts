import type { KeyChange } from '../features/keys/api-keys-store.js';
import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Instruments } from '../observability/metrics/instruments.js';
import type { QuotaLimiter } from './quotas.js';
import { createKeyQuotas, type KeyQuotas } from '../features/quotas/key-quotas.js';
import type { OutageState } from '../features/limiter/fallback-limiter.js';
import { createQuotasService, type QuotasService } from '../features/quotas/quotas-service.js';
import type { Stores } from './stores.js';
import type { Tracing } from '../observability/tracing/tracing.js';
import type { UsageCounters } from '../features/usage/usage-counters.js';

/** What keys are charged, and how they stand. */
export interface Charging {
  quotas: QuotasService;
  keyQuotas: KeyQuotas;
  /** Whether local limits are in force, and how often they were. */
  quotaOutages: () => Readonly<OutageState>;
}

export interface ChargingParts {
  limiter: QuotaLimiter['limiter'];
  stores: Pick<Stores, 'apiKeys' | 'projects' | 'strikes'>;
  changedForAll: (change: KeyChange) => Promise<void>;
  usageCounters: Pick<UsageCounters, 'countBan'>;
  metrics: Pick<Instruments, 'countBan'>;
  tracing: Pick<Tracing, 'limiter'>;
  log: Logger;
  clock: Clock;
}

export function createCharging(
  { adminRequestsPerMinute, ban }: Config,
  { stores, changedForAll, usageCounters, metrics, tracing, log, clock, ...parts }: ChargingParts,
): Charging {
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
        metrics.countBan();
      },
      clock,
      onError: (err) => log.warn({ err }, 'could not record a strike'),
    }),
    keyQuotas: createKeyQuotas(limiter, stores.projects, adminRequestsPerMinute, clock),
    quotaOutages: () => limiter.state(),
  };
}

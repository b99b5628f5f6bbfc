import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { createLeasingLimiter } from '../features/limiter/leasing-limiter.js';
import { createStoreLimiter } from '../features/limiter/store-limiter.js';
import {
  createFallbackLimiter,
  type FallbackLimiter,
  type OutageState,
} from '../features/limiter/fallback-limiter.js';
import type { Instruments } from '../observability/metrics/instruments.js';
import { timed } from '../observability/metrics/timed.js';
import type { Counted } from '../features/plans/window.js';
import { PROBE, quotaStoreOf } from './quota-stores.js';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import { createKeyQuotas, type KeyQuotas } from '../features/quotas/key-quotas.js';
import { createQuotasService, type QuotasService } from '../features/quotas/quotas-service.js';
import type { Stores } from './stores.js';
import type { Tracing } from '../observability/tracing/tracing.js';
import type { TrafficCounters } from '../features/usage/traffic-counters.js';
import type { UsageCounters } from '../features/usage/usage-counters.js';

export interface QuotaLimiter {
  limiter: FallbackLimiter;
  /**
   * For the details of readiness: resolves with `redis: ok`, or with the problem, in the store's own words if it gave
   * any. Writes to the store. Never starts an outage.
   */
  check: () => Promise<string>;
  /** Removes the counters of deleted keys. @throws QuotaStoreError */
  forget: (keys: readonly Counted[]) => Promise<void>;
  close: () => Promise<void>;
}

/** How long a request waits for the store at most, milliseconds, for all its calls together. */
const REQUEST_TIMEOUT_MS = 2000;
const RETRY_MS = 1000;
/**
 * The other processes notice within one probe that the store is back, and then settle with it: two probes with their
 * time limits.
 */
const HOLD_MS = 6000;
/**
 * Creates the limiter on the store of the settings. Local limits apply while the store is down.
 * @param storeTime the clock of the store; tests pass their own
 */
export async function createQuotaLimiter(
  config: Config,
  connection: Connection,
  metrics: Pick<Instruments, 'timeStore' | 'timeDecision'>,
  log: Logger,
  clock: Clock,
  storeTime?: Clock,
): Promise<QuotaLimiter> {
  const { name, open, canLoseCounts } = quotaStoreOf(config);
  const opened = await open(connection, log, storeTime);
  const store = timed(opened.store, metrics.timeStore(`quota_${name}`));
  const shares = config.quotaNodes * config.workers;
  const exact = createStoreLimiter(store, clock, storeTime);
  // To other processes, leased units look used, and this one would not see what they use meanwhile. Returned units
  // hide a loss of counts.
  const mayLease = shares === 1 && !canLoseCounts;
  const leasing = mayLease ? createLeasingLimiter(exact, storeTime) : undefined;
  const limiter = createFallbackLimiter(leasing ?? exact, {
    shares,
    callTimeoutMs: REQUEST_TIMEOUT_MS,
    retryMs: RETRY_MS,
    holdMs: HOLD_MS,
    probe: () => store.decide(PROBE, [1]),
    onOutage: (error) =>
      log.error({ reason: reasonOf(error), store: name }, 'The quota store is down; local limits apply'),
    onRecovery: ({ outages, decidedLocally }) =>
      log.info({ outages, decidedLocally, store: name }, 'The quota store is up again'),
    clock,
    ...(storeTime && { stopwatchMs: storeTime }),
  });
  return {
    limiter: timed(limiter, metrics.timeDecision),
    async check() {
      const problem = await limiter.check();
      if (problem === undefined) return `${name}: ok`;
      return `${name}: ${answerOf(problem)}${limiter.state().down ? ': local limits apply' : ''}`;
    },
    forget: (keys) => store.remove(keys),
    async close() {
      await leasing?.close();
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

/** Returns only the message: other fields of a store's errors may repeat what was sent to the store. */
function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  return cause instanceof Error ? cause.message : String(cause);
}

/** Errors that a store sent, as the drivers of Redis and MongoDB name them. */
const ANSWERS: ReadonlySet<string> = new Set(['ReplyError', 'MongoServerError']);

function answerOf(error: unknown): string {
  const cause = causeOf(error);
  return cause instanceof Error && ANSWERS.has(cause.name) ? cause.message.replace(/\.$/, '') : 'no answer';
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}

import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { MINUTE_MS, type Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { createCountingLimiter } from '../features/limiter/counting-limiter.js';
import { createDeadlineCounters } from '../features/limiter/deadline-counters.js';
import { createLeasedCounters } from '../features/limiter/leased-counters.js';
import { createMemoryCounters } from '../features/limiter/memory-counters.js';
import { createFallbackLimiter, type FallbackLimiter } from '../features/limiter/fallback-limiter.js';
import type { Instruments } from '../observability/metrics/instruments.js';
import { timed } from '../observability/metrics/timed.js';
import { counterKeysOf, type Counted } from '../features/plans/window.js';
import { quotaStoreOf } from './quota-stores.js';

export interface QuotaLimiter {
  /** Begins to give back quota that this process bought and does not spend. */
  start: () => void;
  limiter: FallbackLimiter;
  /** For readiness: `redis: ok`, or what is the matter. */
  check: () => Promise<string>;
  /** Removes the counters of what is no more. @throws QuotaStoreError */
  forget: (keys: readonly Counted[]) => Promise<void>;
  close: () => Promise<void>;
}

/** How long one call of the store may take until it counts as failed. */
const STORE_CALL_TIMEOUT_MS = 2000;
/** How long a request waits for the store at most, whatever number of calls it needs. */
const REQUEST_TIMEOUT_MS = 2000;
const RETRY_MS = 1000;
/** A counter of nobody's: a probe is a write, because a store may still answer reads when it refuses writes. */
const PROBE_KEY = '{probe}:minute:0';

/** The limiter over the store that the settings name, with local limits for when that is down. */
export async function createQuotaLimiter(
  config: Config,
  connection: Connection,
  metrics: Pick<Instruments, 'timeStore' | 'timeDecision'>,
  log: Logger,
  clock: Clock,
): Promise<QuotaLimiter> {
  const { name, open } = quotaStoreOf(config);
  const store = await open(connection, log, clock);
  const counters = createDeadlineCounters(
    timed(store.counters, metrics.timeStore(`quota_${name}`)),
    STORE_CALL_TIMEOUT_MS,
  );
  const leased = createLeasedCounters(counters, clock);
  const limiter = createFallbackLimiter(
    createCountingLimiter(leased, clock),
    createCountingLimiter(createMemoryCounters(clock), clock),
    {
      shares: config.quotaNodes * config.workers,
      callTimeoutMs: REQUEST_TIMEOUT_MS,
      retryMs: RETRY_MS,
      probe: () => counters.add(PROBE_KEY, 1, 1, MINUTE_MS),
      onOutage: (error) =>
        log.error(
          { reason: reasonOf(error), store: name },
          'the quota store is down: local limits are in force',
        ),
      onRecovery: ({ outages, decidedLocally }) =>
        log.info({ outages, decidedLocally, store: name }, 'the quota store answers again'),
    },
  );
  return {
    start: () => leased.start(),
    limiter: timed(limiter, metrics.timeDecision),
    check: async () => `${name}: ${(await limiter.check()) ? 'ok' : 'no answer: local limits in force'}`,
    forget: (keys) => store.counters.remove(keys.flatMap((key) => counterKeysOf(key, clock()))),
    async close() {
      limiter.close();
      await leased.close();
      await store.close();
    },
  };
}

/** Messages alone: the other fields of a store's errors may repeat what was sent to it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

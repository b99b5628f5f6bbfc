import type { Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logger.js';
import type { Meter } from '../plans/window.js';
import { createFallbackLimiter, type FallbackLimiter } from './fallback-limiter.js';
import { createLeasingLimiter } from './leasing-limiter.js';
import type { QuotaStore } from './quota-store.js';
import { createStoreLimiter } from './store-limiter.js';

export interface QuotaLimiter {
  limiter: FallbackLimiter;
  /**
   * For the details of readiness: resolves with `redis: ok`, or with the problem, in the store's own words if it gave
   * any. Writes to the store. Never starts an outage.
   */
  check: () => Promise<string>;
  /** Leaves the store open. */
  close: () => Promise<void>;
}

/**
 * A window that belongs to no key. The probe is a write, because a store may answer reads while it rejects writes: the
 * window must never be full.
 */
export const PROBE: Meter = { id: 'probe', windows: [{ name: 'minute', limit: 1_000_000, epoch: 0 }] };

/** How long a request waits for the store at most, milliseconds, for all its calls together. */
const REQUEST_TIMEOUT_MS = 2000;
const RETRY_MS = 1000;
/**
 * The other processes notice within one probe that the store is back, and then settle with it: two probes with their
 * time limits.
 */
const HOLD_MS = 6000;

/**
 * Creates the limiter on a store. Local limits apply while the store is down.
 * @param name the name of the store in readiness and logs
 * @param canLoseCounts whether a fault can take counts away that the store confirmed
 * @param shares the number of processes that share the store
 * @param storeTime the clock of the store; tests pass their own
 */
export function createQuotaLimiter(
  { name, store, canLoseCounts }: { name: string; store: QuotaStore; canLoseCounts: boolean },
  shares: number,
  log: Logger,
  clock: Clock,
  storeTime?: Clock,
): QuotaLimiter {
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
    limiter,
    async check() {
      const problem = await limiter.check();
      if (problem === undefined) return `${name}: ok`;
      return `${name}: ${answerOf(problem)}${limiter.state().down ? ': local limits apply' : ''}`;
    },
    async close() {
      await leasing?.close();
      await limiter.close();
    },
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

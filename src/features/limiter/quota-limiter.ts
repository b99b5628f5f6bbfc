import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract, {
  type HandleError,
} from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logger.js';
import { tightest, type Meter, type WindowState } from '../plans/window.js';
import { createAccounts, LEASES, type Accounts } from './accounts.js';
import {
  QuotaStoreError,
  type Charge,
  type Limiter,
  type QuotaSource,
  type RejectedDecision,
} from './limiter.js';
import { createOutages, type Outages, type OutageState } from './outage.js';
import type { QuotaStore } from './quota-store.js';

/**
 * The library's result, for all windows of a key together: `remainingPoints` can be consumed now, `consumedPoints` are
 * the other points of the limiter. Points that did not fit are consumed here, and nowhere else, so the library rejects.
 */
class QuotaRes extends RateLimiterRes {
  readonly windows: readonly WindowState[];

  constructor({ admitted, windows }: Charge, points: number, cost: number, nowMs: number) {
    const window = tightest(windows);
    const remaining = window?.remaining ?? 0;
    // After a downgrade, more can be used than the limit. What the store rejected never looks as if it fitted.
    const consumed = admitted ? points - remaining : Math.max(points - remaining + cost, points + 1);
    super(remaining, (window?.resetAtMs ?? nowMs) - nowMs, consumed, false);
    this.windows = windows;
  }
}

/** What the methods of the limiters need beside the key. */
interface QuotaOptions {
  meter: Meter;
  /** Of a reading: it is asked whether this much is left. */
  cost?: number | undefined;
}

type Upsert = [key: string, points: number, ms: number, forceExpire: boolean, options: QuotaOptions];

/**
 * The library's limiter of a plan or a custom quota. Its store adds points only if they fit into all windows of the key.
 * Otherwise it adds nothing and reports what would have been consumed, and the library rejects.
 */
class PlanLimiter extends RateLimiterStoreAbstract<Charge, QuotaRes, QuotaOptions> {
  readonly #source: QuotaSource;
  readonly #clock: Clock;

  constructor(points: number, source: QuotaSource, clock: Clock, insuranceLimiter?: PlanLimiter) {
    const insurance = insuranceLimiter && { insuranceLimiter };
    // One prefix for all plans: another would start the windows over when the plan changes. The windows have durations.
    super({ storeClient: source, points, duration: 0, keyPrefix: '', ...insurance });
    this.#source = source;
    this.#clock = clock;
  }

  protected override _upsert(...[, points, , , { meter }]: Upsert): Promise<Charge> {
    return this.#source.charge(meter, points);
  }

  protected override async _get(_key: string, { meter, cost }: QuotaOptions): Promise<Charge> {
    return { admitted: true, windows: await this.#source.read(meter, cost) };
  }

  protected override _delete(): Promise<boolean> {
    return Promise.reject(new Error('QuotaStore.remove removes counts'));
  }

  protected override _getRateLimiterRes(_key: string, cost: number, charge: Charge): QuotaRes {
    return new QuotaRes(charge, this.points, cost, this.#clock());
  }

  /** The library insures against every error, also a mistake in this code, and waits for ever for one that throws. */
  protected override _handleError(...given: HandleError): void {
    const [error, , , reject] = given;
    try {
      if (error instanceof QuotaStoreError) super._handleError(...given);
      else reject(error);
    } catch (thrown) {
      reject(thrown);
    }
  }
}

/** Custom quotas can be of any number. A limiter that is dropped is made again: it keeps no counts. */
const MAX_LIMITERS = 1000;

/**
 * The library's limiters of all plans: the plan of a key chooses its limiter, and whether that resolves or rejects is the
 * verdict. The gateway uses `createQuotaLimiter`; tests also use this alone.
 * @param outages decides what the store fails to. Without it, a store that fails is an error
 */
export function createLimiterOfPlans(accounts: Accounts, clock: Clock, outages?: Outages): Limiter {
  const limiters = new LRUCache<string, PlanLimiter>(atMost(MAX_LIMITERS));
  /** A caller's meter stays the same object while its key is cached, so its limits are rarely spelled. */
  const limiterOfMeter = new WeakMap<Meter, PlanLimiter>();

  function limiterOf(meter: Meter): PlanLimiter {
    let limiter = limiterOfMeter.get(meter);
    if (limiter === undefined) limiterOfMeter.set(meter, (limiter = limiterOfPlan(meter)));
    return limiter;
  }

  function limiterOfPlan({ windows }: Meter): PlanLimiter {
    const limits = windows.map(({ limit }) => limit);
    const plan = limits.join();
    let limiter = limiters.get(plan);
    if (limiter === undefined) {
      // More than the smallest limit never fits.
      const points = Math.min(...limits);
      const insured = outages && new PlanLimiter(points, outages.insurance, clock);
      limiters.set(plan, (limiter = new PlanLimiter(points, accounts, clock, insured)));
    }
    return limiter;
  }

  const read = async (meter: Meter, cost?: number): Promise<readonly WindowState[]> =>
    (await limiterOf(meter).get(meter.id, { meter, cost }))?.windows ?? [];

  function remembered(meter: Meter, cost: number): RejectedDecision | undefined {
    const windows = accounts.remembered(meter) ?? outages?.remembered(meter, cost);
    return windows && refusalOf(windows, cost, clock());
  }

  return {
    async charge(meter, cost) {
      try {
        const { windows } = await limiterOf(meter).consume(meter.id, cost, { meter });
        return { admitted: true, windows };
      } catch (rejected) {
        if (rejected instanceof QuotaRes) return refusalOf(rejected.windows, cost, clock());
        throw rejected;
      }
    },
    remembered,
    async foresee(meter, cost) {
      const refusal = remembered(meter, cost);
      if (refusal !== undefined) return refusal;
      const windows = await read(meter, cost);
      const fits = windows.every(({ remaining }) => cost <= remaining);
      return fits ? undefined : refusalOf(windows, cost, clock());
    },
    peek: (meter) => read(meter),
    peekMany: (meters) => Promise.all(meters.map((meter) => read(meter))),
  };
}

function refusalOf(windows: readonly WindowState[], cost: number, nowMs: number): RejectedDecision {
  const refusing = windows.filter((window) => cost > window.remaining);
  const resets = refusing.map((window) => (window.resetAtMs ?? nowMs) - nowMs);
  return {
    admitted: false,
    windows,
    refusedBy: refusing.map((window) => window.name),
    retryAfterMs: Math.max(0, ...resets),
  };
}

export interface QuotaLimiter {
  limiter: Limiter & { state(): Readonly<OutageState> };
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

/** How long a request waits for the store, milliseconds, for all its calls together. A call gets at least a quarter of it. */
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
  const accounts = createAccounts(store, {
    clock,
    stopwatchMs: storeTime,
    // To other processes, leased units look used, and this one would not see what they use meanwhile. Returned units
    // hide a loss of counts.
    leases: shares === 1 && !canLoseCounts ? LEASES : undefined,
    shares,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  const outages = createOutages(accounts, {
    isShared: shares > 1,
    callTimeoutMs: REQUEST_TIMEOUT_MS,
    retryMs: RETRY_MS,
    holdMs: HOLD_MS,
    probe: () => store.decide(PROBE, [1]),
    onOutage: (error) =>
      log.error({ reason: reasonOf(error), store: name }, 'The quota store is down; local limits apply'),
    onRecovery: ({ outages, decidedLocally }) =>
      log.info({ outages, decidedLocally, store: name }, 'The quota store is up again'),
  });
  return {
    limiter: { ...createLimiterOfPlans(accounts, clock, outages), state: () => outages.state() },
    async check() {
      const problem = await outages.check();
      if (problem === undefined) return `${name}: ok`;
      return `${name}: ${answerOf(problem)}${outages.state().down ? ': local limits apply' : ''}`;
    },
    close: () => outages.close(),
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

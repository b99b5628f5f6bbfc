import type { ApiKey } from '../keys/api-key.js';
import type { Caller } from '../keys/caller.js';
import type { ApiKeysStore } from '../keys/api-keys-store.js';
import type { RecordChange } from '../keys/record-change.js';
import type { Awaitable } from '../../lib/awaitable.js';
import { ApiError } from '../../lib/errors.js';
import { unixSecond, wholeSeconds, type Clock } from '../../lib/clock.js';
import { withNoun } from '../../lib/with-noun.js';
import type { BanPolicy } from '../plans/ban.js';
import { createClientLimiter } from '../limiter/client-limiter.js';
import type { Limiter, RejectedDecision } from '../limiter/limiter.js';
import { createStrikes, getsStrikes, strikesLeft } from './strikes.js';
import type { StrikesStore } from './strikes-store.js';
import { lastToReset, tightest, type WindowState } from '../plans/window.js';

/** A key's windows, and the state in the rate limit headers. */
export interface QuotaState {
  windows: readonly WindowState[];
  /** The window that X-RateLimit-* headers report. */
  effectiveWindow: WindowState | undefined;
}

/** The result of charging a request. */
export interface Verdict extends QuotaState {
  /** The 429 or 400 response; undefined if the request is admitted. */
  refusal?: ApiError;
  /** Units charged: the cost of an admitted request, 0 or 1 for a rejected request. */
  charged: number;
}

export interface QuotasService {
  /** Returns a ban or a rejection that is already certain, from memory, without a store access. */
  refusedAtOnce(caller: Caller): Verdict | undefined;
  /**
   * Returns the rejection that a request of this cost would get now, and charges it like `charge`. Charges nothing if the
   * request would be admitted. For requests whose cost takes work to compute: they cost at least this.
   * @throws QuotaStoreError
   */
  foresee(caller: Caller, cost: number): Promise<Verdict | undefined>;
  /**
   * Charges the whole cost to all windows, or nothing to any window. A cost above the limit of a window is rejected and
   * charged 1. After UNPAID_REFUSALS rejections of a key in a minute that cost more than 1, each further one is charged
   * 1 as well, because computing the cost took work. If not even 1 is left, nothing is charged.
   * @throws QuotaStoreError
   */
  charge(caller: Caller, cost: number): Promise<Verdict>;
  /** The current state; charges nothing. @throws QuotaStoreError */
  state(caller: Caller): Promise<QuotaState>;
}

export interface QuotasServiceParts {
  limiter: Limiter;
  /** Whether this process applies its share of each limit, because the quota store is down. */
  isStoreDown: () => boolean;
  strikes: Pick<StrikesStore, 'add'>;
  keys: Pick<ApiKeysStore, 'ban'>;
  banPolicy: BanPolicy;
  /** Called when a ban starts, so that every process of this gateway applies it to its next request. */
  evictEverywhere: (change: RecordChange) => void;
  /** Called by the process that starts a ban, once per ban. */
  onBan: (key: ApiKey) => void;
  clock: Clock;
  onError: (error: unknown) => void;
}

/**
 * Free rejections per key and minute of requests that cost more than is left. Computing their cost already took work.
 */
export const UNPAID_REFUSALS = 10;

export function createQuotasService(parts: QuotasServiceParts): QuotasService {
  const { limiter, isStoreDown, clock, onError } = parts;
  const strikes = createStrikes(clock);
  const unpaid = createClientLimiter(UNPAID_REFUSALS, clock);

  function refused(caller: Caller, cost: number, refusal: RejectedDecision): Verdict {
    const mayGetOne = caller.hasNoStrikes !== true && getsStrikes(caller.key);
    const left = mayGetOne ? leftAfter(caller.key, refusal) : undefined;
    const effectiveWindow = lastToReset(refusal.windows.filter((w) => refusal.refusedBy.includes(w.name)));
    return {
      windows: refusal.windows,
      effectiveWindow,
      refusal: limitExceeded(effectiveWindow, cost, {
        retryAfterMs: refusal.retryAfterMs,
        strikesLeft: left,
        isShare: isStoreDown(),
      }),
      charged: 0,
    };
  }

  /** Counts an early retry. Returns how many more strikes ban the key, or undefined while it gets none. */
  function leftAfter(key: ApiKey, refusal: RejectedDecision): number | undefined {
    if (strikes.observe(key.id, refusal)) noteEarlyRetry(key).catch(onError);
    const count = strikes.current(key.id);
    return count === 0 ? undefined : strikesLeft(parts.banPolicy, count);
  }

  /** The same rejection, charged one unit after UNPAID_REFUSALS that cost more than 1. */
  function paidBeyondFree(caller: Caller, cost: number, refusal: Verdict): Awaitable<Verdict> {
    const isPaid = cost > 1 && !unpaid.charge(caller.key.id).admitted;
    return isPaid ? paidRefusal(caller, refusal) : refusal;
  }

  /** The same rejection, charged one unit if one is left. */
  async function paidRefusal({ meter }: Caller, refusal: Verdict): Promise<Verdict> {
    const decision = await limiter.charge(meter, 1);
    if (!decision.admitted) return refusal;
    const effectiveWindow = decision.windows.find(({ name }) => name === refusal.effectiveWindow?.name);
    return { ...refusal, windows: decision.windows, effectiveWindow, charged: 1 };
  }

  async function refuseTooCostly(caller: Caller, refusal: ApiError): Promise<Verdict> {
    const decision = await limiter.charge(caller.meter, 1);
    if (!decision.admitted) return refused(caller, 1, decision);
    return { windows: decision.windows, effectiveWindow: tightest(decision.windows), refusal, charged: 1 };
  }

  async function noteEarlyRetry(key: ApiKey): Promise<void> {
    const added = await parts.strikes.add(key.id, unixSecond(clock()));
    strikes.note(key.id, added.strikes);
    if (!added.bans) return;
    const banned = await parts.keys.ban(key.id, clock(), parts.banPolicy);
    if (banned !== undefined) parts.onBan(key);
    parts.evictEverywhere({ keyId: key.id });
  }

  return {
    refusedAtOnce(caller) {
      const until = caller.key.ban?.until.getTime();
      if (until !== undefined && until > clock()) return banned(caller, until, clock());
      const refusal = limiter.remembered(caller.meter, 1);
      return refusal && refused(caller, 1, refusal);
    },
    async foresee(caller, cost) {
      // A cost above the limit of a window is too costly (400): waiting for a window to reset does not help.
      const least = caller.meter.windows.some(({ limit }) => limit < cost) ? 1 : cost;
      const refusal = await limiter.foresee(caller.meter, least);
      return refusal && paidBeyondFree(caller, least, refused(caller, least, refusal));
    },
    async charge(caller, cost) {
      const refusal = tooCostly(caller, cost);
      if (refusal !== undefined) return refuseTooCostly(caller, refusal);
      const decision = await limiter.charge(caller.meter, cost);
      if (decision.admitted)
        return { windows: decision.windows, effectiveWindow: tightest(decision.windows), charged: cost };
      return paidBeyondFree(caller, cost, refused(caller, cost, decision));
    },
    async state(caller) {
      const windows = await limiter.peek(caller.meter);
      return { windows, effectiveWindow: tightest(windows) };
    },
  };
}

interface LimitExceeded {
  retryAfterMs: number;
  /** How many more strikes ban the key; undefined if it has none. */
  strikesLeft: number | undefined;
  /** Whether the window admits this process's share of the limit only. */
  isShare: boolean;
}

function limitExceeded(
  window: WindowState | undefined,
  cost: number,
  { retryAfterMs, strikesLeft, isShare }: LimitExceeded,
): ApiError {
  const retryAfterSeconds = wholeSeconds(retryAfterMs);
  const { name = 'minute', limit = 0, remaining = 0 } = window ?? {};
  const requests = `${withNoun(limit, 'request')} per ${name}`;
  const [whole, part, since] = isShare
    ? [
        `This gateway's share of the ${requests}`,
        `this gateway's share of the ${requests}`,
        ' while the quota store is down',
      ]
    : [`The limit of ${requests}`, requests, ''];
  const what =
    remaining === 0
      ? `${whole} is used up${since}.${cost === 1 ? '' : ` This request costs ${cost}.`}`
      : `This request costs ${cost}, and ${remaining} of ${part} ${remaining === 1 ? 'is' : 'are'} left${since}.`;
  const warning =
    strikesLeft === undefined
      ? ''
      : ` This key keeps sending requests before Retry-After has passed. ${strikesLeft} more ${strikesLeft === 1 ? 'strike bans' : 'strikes ban'} it.`;
  return new ApiError('rate_limit_exceeded', `${what} Retry in ${retryAfterSeconds} s.${warning}`, {
    retryAfterSeconds,
    details: {
      window: window?.name,
      limit: window?.limit,
      remaining: window?.remaining,
      cost,
      resetAt: window?.resetAtMs === undefined ? undefined : new Date(window.resetAtMs).toISOString(),
      strikesLeft,
    },
  });
}

/** The error for a cost that a window of the caller could never hold. Undefined if each window could hold it. */
export function tooCostly({ meter }: Pick<Caller, 'meter'>, cost: number): ApiError | undefined {
  const tooSmall = meter.windows.find(({ limit }) => limit < cost);
  if (tooSmall === undefined) return undefined;
  const { name: window, limit } = tooSmall;
  return new ApiError(
    'query_too_costly',
    `This request costs ${cost}, and the limit is ${withNoun(limit, 'request')} per ${window}. Split the request.`,
    { details: { window, limit, cost } },
  );
}

/** During a ban nothing remains until the ban ends, whatever the windows count. So no store access is needed. */
function banned({ meter }: Caller, untilMs: number, nowMs: number): Verdict {
  const windows = meter.windows.map(({ name, limit }): WindowState => ({
    name,
    limit,
    used: limit,
    remaining: 0,
    resetAtMs: untilMs,
  }));
  const retryAfterSeconds = wholeSeconds(untilMs - nowMs);
  const until = new Date(untilMs).toISOString();
  const refusal = new ApiError(
    'key_banned',
    `This API key is banned until ${until} because it kept sending requests before Retry-After had passed.`,
    { retryAfterSeconds, details: { until } },
  );
  return { windows, effectiveWindow: tightest(windows), refusal, charged: 0 };
}

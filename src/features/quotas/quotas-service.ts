import type { ApiKey } from '../keys/api-key.js';
import type { Caller } from '../keys/caller.js';
import { CONFIGURED_ADMIN_KEY_ID } from '../keys/authenticator.js';
import type { ApiKeysStore, KeyChange } from '../keys/api-keys-store.js';
import { ApiError } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import type { BanPolicy } from '../plans/ban.js';
import type { Decision, Limiter } from '../limiter/limiter.js';
import { createStrikes } from './strikes.js';
import type { StrikesStore } from './strikes-store.js';
import { lastToReset, tightest, type WindowState } from '../plans/window.js';

/** What became of a request's charge, and what the rate limit headers say of it. */
export interface Verdict {
  windows: readonly WindowState[];
  /** The window that X-RateLimit-* speak of. */
  headline: WindowState | undefined;
  /** The 429 or 400 to answer with; undefined: admitted. */
  refusal?: ApiError;
}

export interface QuotasService {
  /** A ban or a refusal that is certain already: answered from memory, no store is asked. */
  refusedAtOnce(caller: Caller): Verdict | undefined;
  /** Charges all windows or none. @throws QuotaStoreError */
  charge(caller: Caller, cost: number): Promise<Verdict>;
  /** As it stands; charges nothing. @throws QuotaStoreError */
  standing(caller: Caller): Promise<Verdict>;
}

export interface QuotasServiceParts {
  limiter: Limiter;
  strikes: Pick<StrikesStore, 'add'>;
  keys: Pick<ApiKeysStore, 'ban'>;
  banPolicy: BanPolicy;
  changed: (change: KeyChange) => void;
  /** Told of each ban that begins, by who began it. */
  onBan: (key: ApiKey) => void;
  clock: Clock;
  onError: (error: unknown) => void;
}

export function createQuotasService(parts: QuotasServiceParts): QuotasService {
  const { limiter, clock, onError } = parts;
  const strikes = createStrikes(clock);

  function refused(caller: Caller, cost: number, refusal: Decision & { admitted: false }): Verdict {
    if (mayBeBanned(caller) && strikes.observe(caller.key.id, refusal)) strike(caller.key).catch(onError);
    const headline = lastToReset(refusal.windows.filter((w) => refusal.refusedBy.includes(w.name)));
    return {
      windows: refusal.windows,
      headline,
      refusal: limitExceeded(headline, cost, refusal.retryAfterMs),
    };
  }

  async function strike(key: ApiKey): Promise<void> {
    if (!(await parts.strikes.add(key.id, Math.floor(clock() / 1000)))) return;
    const banned = await parts.keys.ban(key.id, clock(), parts.banPolicy);
    if (banned !== undefined) parts.onBan(key);
    parts.changed({ keyId: key.id });
  }

  return {
    refusedAtOnce(caller) {
      const until = caller.key.ban?.until.getTime();
      if (until !== undefined && until > clock()) return banned(caller, until, clock());
      const refusal = limiter.remembered(caller.meter, 1);
      return refusal && refused(caller, 1, refusal);
    },
    async charge(caller, cost) {
      const tooSmall = caller.meter.windows.find((window) => window.limit < cost);
      if (tooSmall !== undefined) {
        const refusal = tooCostly(cost, tooSmall.name, tooSmall.limit);
        return { ...(await this.standing(caller)), refusal };
      }
      const decision = await limiter.charge(caller.meter, cost);
      if (!decision.admitted) return refused(caller, cost, decision);
      return { windows: decision.windows, headline: tightest(decision.windows) };
    },
    async standing(caller) {
      const windows = await limiter.peek(caller.meter);
      return { windows, headline: tightest(windows) };
    },
  };
}

/** A browser key is public, anyone could get it banned; the configured admin key has no record to keep a ban on. */
function mayBeBanned({ key }: Caller): boolean {
  return key.role !== 'browser' && key.id !== CONFIGURED_ADMIN_KEY_ID;
}

function limitExceeded(window: WindowState | undefined, cost: number, retryAfterMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const asked = cost === 1 ? '' : ` This request costs ${cost}.`;
  return new ApiError(
    'rate_limit_exceeded',
    `The limit of ${window?.limit ?? 0} requests per ${window?.name ?? 'minute'} is used up.${asked} Retry in ${retryAfterSeconds} s.`,
    {
      retryAfterSeconds,
      details: {
        window: window?.name,
        limit: window?.limit,
        cost,
        resetAt: window?.resetAtMs === undefined ? undefined : new Date(window.resetAtMs).toISOString(),
      },
    },
  );
}

function tooCostly(cost: number, window: string, limit: number): ApiError {
  return new ApiError(
    'query_too_costly',
    `This request costs ${cost}, more than the ${limit} requests that a whole ${window} allows. Split it.`,
    { details: { window, limit, cost } },
  );
}

/** While banned nothing remains, whatever the windows count, until the ban ends: no store has to be asked. */
function banned({ meter }: Caller, untilMs: number, nowMs: number): Verdict {
  const windows = meter.windows.map(({ name, limit }): WindowState => ({
    name,
    limit,
    used: limit,
    remaining: 0,
    resetAtMs: untilMs,
  }));
  const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  const until = new Date(untilMs).toISOString();
  const refusal = new ApiError(
    'key_banned',
    `This API key is banned until ${until} because it kept sending requests after being told to wait.`,
    { retryAfterSeconds, details: { until } },
  );
  return { windows, headline: tightest(windows), refusal };
}

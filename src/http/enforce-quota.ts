import type { RequestHandler, Response } from 'express';
import type { KeyUses } from '../features/keys/key-uses.js';
import type { Clock } from '../lib/clock.js';
import { ApiError } from '../lib/errors.js';
import type { QuotasService, Verdict } from '../features/quotas/quotas-service.js';
import type { ClientLimiter, ClientState } from '../features/limiter/client-limiter.js';
import { shareOf, takeShare } from './browser-key.js';
import { callerOf, exchangeOf } from './exchange.js';
import { overLimit } from './over-limit.js';
import { setDashboardHeaders, setQuotaHeaders } from './rate-limit-headers.js';

export interface QuotaParts {
  quotas: QuotasService;
  browserShares: ClientLimiter;
  dashboardRequests: ClientLimiter;
  keyUses: KeyUses;
  clock: Clock;
}

/** A ban, or a refusal that is certain: answered before the body is read, without asking a store. */
export function refuseAtOnce(parts: QuotaParts): RequestHandler {
  return (_req, res, next) => {
    if (exchangeOf(res).isBySession === true) {
      next();
      return;
    }
    const verdict = parts.quotas.refusedAtOnce(callerOf(res));
    if (verdict !== undefined) enforce(res, verdict, parts);
    next();
  };
}

/** Charges the caller, sets the headers, and lets nothing refused pass. @throws ApiError 429 or query_too_costly */
export async function charge(res: Response, cost: number, parts: QuotaParts): Promise<Verdict> {
  if (exchangeOf(res).isBySession === true) return chargeSession(res, cost, parts);
  const { quotas, keyUses, clock } = parts;
  const caller = callerOf(res);
  const share = takeShare(res, cost, parts);
  const verdict = await quotas.charge(caller, cost);
  if (verdict.refusal !== undefined) share?.giveBack();
  keyUses.noteWindows(caller.key, verdict.windows, clock());
  enforce(res, verdict, parts);
  exchangeOf(res).cost = cost;
  return verdict;
}

/**
 * Charges what is asked by a session: nothing of the key's quota, so that a key that is used up or banned can still be
 * looked at. All who are signed in with one key share a limit.
 * @throws ApiError 429 or query_too_costly
 */
export function chargeSession(
  res: Response,
  cost: number,
  { dashboardRequests, clock }: Pick<QuotaParts, 'dashboardRequests' | 'clock'>,
): Verdict {
  const { admitted, ...state } = dashboardRequests.charge(callerOf(res).key.id, cost);
  setDashboardHeaders(res, state, clock());
  if (!admitted) throw overDashboard(state, cost, clock());
  return { windows: [], headline: undefined };
}

/** Every request that is no GraphQL costs 1, whatever becomes of it. */
export function chargeOne(parts: QuotaParts): RequestHandler {
  return async (_req, res, next) => {
    await charge(res, 1, parts);
    next();
  };
}

function enforce(res: Response, verdict: Verdict, parts: QuotaParts): void {
  setQuotaHeaders(res, verdict, parts.clock(), shareOf(res, parts));
  if (verdict.refusal !== undefined) throw verdict.refusal;
}

function overDashboard(state: ClientState, cost: number, nowMs: number): ApiError {
  const { limit } = state;
  if (cost > limit)
    return new ApiError(
      'query_too_costly',
      `This request costs ${cost}, more than the ${limit} a minute that the dashboard has for one key. Split it.`,
      { details: { window: 'dashboard', limit, cost } },
    );
  const sentence = `Those who are signed in with this key may send ${limit} requests a minute.`;
  return overLimit('dashboard', state, { cost, nowMs, sentence });
}

import type { RequestHandler, Response } from 'express';
import type { KeyUses } from '../../features/keys/key-uses.js';
import type { Clock } from '../../lib/clock.js';
import { resultOf } from '../../lib/result-of.js';
import { ApiError } from '../../lib/errors.js';
import type { QuotasService, Verdict } from '../../features/quotas/quotas-service.js';
import type { ClientLimiter, ClientState } from '../../features/limiter/client-limiter.js';
import { clientOfBrowserKey, shareOf, takeShare } from './browser-key.js';
import { callerOf, requestContextOf } from './request-context.js';
import { rateLimitError } from '../answers/rate-limit-error.js';
import { setDashboardHeaders, setQuotaHeaders } from '../answers/rate-limit-headers.js';

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
    if (requestContextOf(res).isBySession === true) {
      next();
      return;
    }
    const verdict = parts.quotas.refusedAtOnce(callerOf(res));
    if (verdict !== undefined) enforce(res, verdict, parts);
    next();
  };
}

/**
 * For a request whose cost takes work to find out, before that work: takes `least`, what it costs at least, of the
 * client's share of a browser key, or of what sessions of the key have. It stays taken when the request is refused later;
 * `charge` takes the rest.
 * @throws ApiError 429 or query_too_costly
 */
export async function chargeClient(res: Response, least: number, parts: QuotaParts): Promise<void> {
  if (requestContextOf(res).isBySession === true) {
    chargeSession(res, least, parts);
    return;
  }
  const share = resultOf(() => takeShare(res, least, parts));
  if (!(share instanceof ApiError)) return;
  if (share.code === 'query_too_costly') await charge(res, least, parts);
  throw share;
}

/**
 * The same for the key, which must have `least` left. Asks the store unless the refusal is remembered; charges nothing.
 * @throws ApiError 429, and then the client's share has paid nothing either
 */
export async function requireQuota(res: Response, least: number, parts: QuotaParts): Promise<void> {
  const context = requestContextOf(res);
  if (context.isBySession === true) return;
  const verdict = await parts.quotas.foresee(callerOf(res), least);
  if (verdict === undefined) return;
  const client = clientOfBrowserKey(res);
  if (client !== undefined) parts.browserShares.refund(client, context.taken ?? 0);
  enforce(res, verdict, parts);
}

/** Charges the caller, sets the headers, and lets nothing refused pass. @throws ApiError 429 or query_too_costly */
export async function charge(res: Response, cost: number, parts: QuotaParts): Promise<Verdict> {
  const context = requestContextOf(res);
  if (context.isBySession === true) return chargeSession(res, cost, parts);
  const { quotas, keyUses, clock } = parts;
  const caller = callerOf(res);
  const share = resultOf(() => takeShare(res, cost, parts));
  // What no share could hold costs the key 1, as what none of its windows could.
  if (share instanceof ApiError && share.code !== 'query_too_costly') throw share;
  const verdict = await quotas.charge(caller, share instanceof ApiError ? 1 : cost);
  if (!(share instanceof ApiError) && verdict.refusal !== undefined) share?.refund();
  keyUses.noteWindows(caller.key, verdict.windows, clock());
  if (verdict.charged > 0) context.cost = verdict.charged;
  enforce(res, verdict, parts);
  if (share instanceof ApiError) throw share;
  return verdict;
}

/**
 * Charges what is asked by a session to a limit of its own, so that a key that is used up or banned can still be looked
 * at; what it does to pets is charged to the key besides (charge-pets-of-session.ts). All who are signed in with one key
 * share a limit. What the request was charged before counts towards the cost.
 * @throws ApiError 429 or query_too_costly
 */
export function chargeSession(
  res: Response,
  cost: number,
  { dashboardRequests, clock }: Pick<QuotaParts, 'dashboardRequests' | 'clock'>,
): Verdict {
  const context = requestContextOf(res);
  const { admitted, ...state } = dashboardRequests.charge(callerOf(res).key.id, cost - (context.taken ?? 0));
  setDashboardHeaders(res, state, clock());
  if (!admitted) throw overDashboard(state, cost, clock());
  context.taken = cost;
  return { windows: [], effectiveWindow: undefined, charged: 0 };
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
  return rateLimitError('dashboard', state, { cost, nowMs, sentence });
}

/**
 * Charges requests to the quota of their key. A request with a browser key is also charged to its client's share
 * (`payFirst` and `takeShare` in browser-key.ts). A request of a dashboard session is charged to the limit of the key's
 * sessions, and only what it does with pets to the key. Which function charges what, in the order of a request:
 *
 *                     key                          browser key                   session
 * ------------------  ---------------------------  ----------------------------  ----------------------------------
 * before the body     -                            payFirst: 1 of the share      -
 * REST                chargeRest: the operation's  chargeRest: the cost, of      (sessions use GraphQL and uploads
 *                     cost                         the share and the key         only)
 * upload              charge: the operation's      charge: of the share and the  charge: of the sessions' limit
 *                     cost                         key, before its 403
 * lines of an import  charge: the rest             -                             chargePetsOfSession: of the key
 * GraphQL
 *   before it parses  -                            chargeClient: 1 for each      chargeClient: 1 for each
 *                                                  operation, of the share       operation, of the sessions' limit
 *   once it parsed    charge: the whole cost       charge: the whole cost, of    charge: the whole cost, of the
 *                                                  the share and the key         sessions' limit, then
 *                                                                                chargePetsOfSession: of the key
 *   a site's cached   -                            takeShare: of the share       -
 *   response                                       alone
 *
 * `refuseAtOnce` before the body, and `requireQuota` before a new document is parsed, reject a key whose quota is used
 * up. `requireQuota` charges as `QuotasService.foresee` does, and `refuseAtOnce` charges nothing.
 */
import type { RequestHandler, Response } from 'express';
import type { Recorder } from '../../features/usage/recorder.js';
import { resultOf } from '../../lib/result-of.js';
import { ApiError } from '../../lib/errors.js';
import type { QuotasService, Verdict } from '../../features/quotas/quotas-service.js';
import type { ClientLimiter, ClientState } from '../../features/limiter/client-limiter.js';
import { clientOfBrowserKey, shareOf, takeShare } from './browser-key.js';
import type { Caller } from '../../features/keys/caller.js';
import { requireCaller, type CallerParts } from './current-caller.js';
import { callerOf, pathOf, requestContextOf, type RequestContext } from './request-context.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { withNoun } from '../../lib/with-noun.js';
import { setDashboardHeaders, setQuotaHeaders } from '../answers/rate-limit-headers.js';
import { findRestPath, REST_OPERATIONS } from '../versioning/rest-operations.js';

export interface QuotaParts extends CallerParts {
  quotas: QuotasService;
  browserShares: ClientLimiter;
  dashboardRequests: ClientLimiter;
  recorder: Pick<Recorder, 'noteWindows'>;
}

type SessionChargeParts = Pick<QuotaParts, 'dashboardRequests' | 'clock'>;

/**
 * Rejects a banned key, or a request that is certain to be rejected, before the body is read and without reading a
 * store.
 */
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
 * Charges `least`, the minimum cost of the request, before the work that finds the full cost. The units come from the
 * client's share of a browser key, or from the limit of the key's sessions. They stay charged if the request is
 * rejected later; `charge` takes the rest.
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
 * Requires that the key has at least `least` units left. Charges nothing, but a rejection as QuotasService.foresee says.
 * Reads the store unless a rejection is remembered.
 * @throws ApiError 429, after refunding the client's share
 */
export async function requireQuota(res: Response, least: number, parts: QuotaParts): Promise<void> {
  const context = requestContextOf(res);
  if (context.isBySession === true) return;
  const verdict = await parts.quotas.foresee(callerOf(res), least);
  if (verdict === undefined) return;
  noteCost(context, verdict);
  const client = clientOfBrowserKey(res);
  if (client !== undefined) parts.browserShares.refund(client, context.taken ?? 0);
  enforce(res, verdict, parts);
}

/** The result of charging a request, and the client's share of a browser key as the headers report it. */
export interface Charged extends Verdict {
  share: ClientState | undefined;
}

/**
 * Charges the caller and sets the rate limit headers. The charge can wait for a store, so the caller is checked again
 * after it.
 * @throws ApiError 429 or query_too_costly; as requireCaller
 */
export async function charge(res: Response, cost: number, parts: QuotaParts): Promise<Charged> {
  const context = requestContextOf(res);
  if (context.isBySession === true) return chargeSession(res, cost, parts);
  const { quotas } = parts;
  const caller = callerOf(res);
  const share = resultOf(() => takeShare(res, cost, parts));
  // A cost above the limit of every share charges the key 1, like a cost above the limit of all its windows.
  if (share instanceof ApiError && share.code !== 'query_too_costly') throw share;
  const verdict = await quotas.charge(caller, share instanceof ApiError ? 1 : cost);
  if (!(share instanceof ApiError) && verdict.refusal !== undefined) share?.refund();
  noteCounts(caller, verdict, parts);
  noteCost(context, verdict);
  const reported = enforce(res, verdict, parts);
  if (share instanceof ApiError) throw share;
  await requireCaller(res, parts);
  const { windows, effectiveWindow, charged } = verdict;
  return { windows, effectiveWindow, charged, share: reported };
}

/**
 * Charges a session's request to a separate limit, so that people can still look at a key that is used up or banned.
 * Its operations on pets are also charged to the key (`chargePetsOfSession`). All sessions of one key share the
 * limit. Units that the request was charged before count towards `cost`.
 * @throws ApiError 429 or query_too_costly
 */
export function chargeSession(res: Response, cost: number, parts: SessionChargeParts): Charged {
  chargeSessionsOf(callerOf(res).key.id, res, cost, parts);
  return { windows: [], effectiveWindow: undefined, charged: 0, share: undefined };
}

/** Charges the limit of the sessions of a key that nobody is signed in with yet. @throws ApiError as chargeSession */
export function chargeSessionsOf(
  keyId: string,
  res: Response,
  cost: number,
  { dashboardRequests, clock }: SessionChargeParts,
): void {
  const context = requestContextOf(res);
  const { admitted, ...state } = dashboardRequests.charge(keyId, cost - (context.taken ?? 0));
  setDashboardHeaders(res, state, clock());
  if (!admitted) throw overDashboard(state, cost, clock());
  context.taken = cost;
}

/** Charges what the operation costs, whatever its response. A request for nothing that exists costs 1. */
export function chargeRest(parts: QuotaParts): RequestHandler {
  return async (req, res, next) => {
    const operation = findRestPath(pathOf(req))?.operations.get(req.method);
    await charge(res, operation === undefined ? 1 : REST_OPERATIONS[operation].cost, parts);
    next();
  };
}

/** For usage: an upload is charged several times. */
function noteCost(context: RequestContext, { charged }: Verdict): void {
  if (charged > 0) context.cost = (context.cost ?? 0) + charged;
}

/** The windows of a ban are no counts. */
function noteCounts(
  { key }: Caller,
  { windows, refusal }: Verdict,
  { recorder, clock }: Pick<QuotaParts, 'recorder' | 'clock'>,
): void {
  if (refusal?.code !== 'key_banned') recorder.noteWindows(key, windows, clock());
}

/** Returns the client's share of a browser key. @throws ApiError the rejection in `verdict` */
function enforce(res: Response, verdict: Verdict, parts: QuotaParts): ClientState | undefined {
  const share = shareOf(res, parts);
  setQuotaHeaders(res, verdict, parts.clock(), share);
  if (verdict.refusal !== undefined) throw verdict.refusal;
  return share;
}

function overDashboard(state: ClientState, cost: number, nowMs: number): ApiError {
  const { limit } = state;
  if (cost > limit)
    return new ApiError(
      'query_too_costly',
      `This request costs ${cost}, and the dashboard may spend ${limit} a minute for one key. Split the request.`,
      { details: { window: 'dashboard', limit, cost } },
    );
  const sentence = `All dashboard sessions of one key together may send ${withNoun(limit, 'request')} a minute.`;
  return rateLimitError('dashboard', state, { cost, nowMs, sentence });
}

/**
 * Charges the session's key for the root fields that read or create pets, in the same windows as a request with the
 * key, so that a session cannot bypass the plan. A rejection adds no strike, so reloading a page cannot ban the key.
 * @returns undefined if nothing is charged: without a session, or without such fields
 * @throws ApiError 429 rate_limit_exceeded or key_banned; query_too_costly; as requireCaller
 */
export async function chargePetsOfSession(
  res: Response,
  petsCost: number,
  parts: QuotaParts,
): Promise<Charged | undefined> {
  const { quotas, dashboardRequests, clock } = parts;
  const context = requestContextOf(res);
  if (context.isBySession !== true || petsCost === 0) return undefined;
  const caller = { ...callerOf(res), hasNoStrikes: true };
  const verdict = quotas.refusedAtOnce(caller) ?? (await quotas.charge(caller, petsCost));
  noteCounts(caller, verdict, parts);
  const session = dashboardRequests.peek(caller.key.id);
  setQuotaHeaders(res, verdict, clock(), session, 'dashboard');
  noteCost(context, verdict);
  if (verdict.refusal !== undefined) throw verdict.refusal;
  await requireCaller(res, parts);
  return { ...verdict, share: undefined };
}

import type { RequestHandler, Response } from 'express';
import type { KeyUses } from '../api-keys/key-uses.js';
import type { Clock } from '../lib/clock.js';
import type { QuotasService, Verdict } from '../quotas/quotas-service.js';
import type { ClientLimiter } from '../quotas/client-limiter.js';
import { shareOf, takeShare } from './browser-key.js';
import { callerOf } from './exchange.js';
import { setQuotaHeaders } from './rate-limit-headers.js';

export interface QuotaParts {
  quotas: QuotasService;
  browserShares: ClientLimiter;
  keyUses: KeyUses;
  clock: Clock;
}

/** A ban, or a refusal that is certain: answered before the body is read, without asking a store. */
export function refuseAtOnce(parts: QuotaParts): RequestHandler {
  return (_req, res, next) => {
    const verdict = parts.quotas.refusedAtOnce(callerOf(res));
    if (verdict !== undefined) enforce(res, verdict, parts);
    next();
  };
}

/** Charges the caller, sets the headers, and lets nothing refused pass. @throws ApiError 429 or query_too_costly */
export async function charge(res: Response, cost: number, parts: QuotaParts): Promise<Verdict> {
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

import type { Response } from 'express';
import type { Verdict } from '../../features/quotas/quotas-service.js';
import type { QuotaParts } from './enforce-quota.js';
import { callerOf, requestContextOf } from './request-context.js';
import { setQuotaHeaders } from '../answers/rate-limit-headers.js';

/**
 * Charges the session's key for the root fields that read or create pets, in the same windows as a request with the
 * key, so that a session cannot bypass the plan. A rejection adds no strike, so reloading a page cannot ban the key.
 * @returns undefined if nothing is charged: without a session, or without such fields
 * @throws ApiError 429 rate_limit_exceeded or key_banned; query_too_costly
 */
export async function chargePetsOfSession(
  res: Response,
  petsCost: number,
  { quotas, dashboardRequests, keyUses, clock }: QuotaParts,
): Promise<Verdict | undefined> {
  const context = requestContextOf(res);
  if (context.isBySession !== true || petsCost === 0) return undefined;
  const caller = { ...callerOf(res), hasNoStrikes: true };
  const verdict = quotas.refusedAtOnce(caller) ?? (await quotas.charge(caller, petsCost));
  keyUses.noteWindows(caller.key, verdict.windows, clock());
  const session = dashboardRequests.peek(caller.key.id);
  setQuotaHeaders(res, verdict, clock(), session, 'dashboard');
  if (verdict.charged > 0) context.cost = verdict.charged;
  if (verdict.refusal !== undefined) throw verdict.refusal;
  return verdict;
}

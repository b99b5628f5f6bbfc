import type { RequestHandler, Response } from 'express';
import type { ApiError } from '../lib/errors.js';
import type { Clock } from '../lib/clock.js';
import { CLIENT_GONE, OTHER_OPERATION, type Door, type Refusal } from '../usage/usage.js';
import type { UsageCounters } from '../usage/usage-counters.js';
import { exchangeOf } from './exchange.js';
import { onEnded } from './on-ended.js';

export interface CountUsageParts {
  usageCounters: UsageCounters;
  clock: Clock;
}

/** Counts each request of a known key once it has ended; what the dashboard asks by its session is none of the key's. */
export function countUsage({ usageCounters, clock }: CountUsageParts): RequestHandler {
  return (req, res, next) => {
    if (exchangeOf(res).isBySession !== true) onEnded(req, res, () => count(res));
    next();
  };

  function count(res: Response): void {
    const { caller, door = 'rest', operation = OTHER_OPERATION, cost = 0, refusal } = exchangeOf(res);
    if (caller === undefined) return;
    const atMs = clock();
    const status = res.writableFinished ? res.statusCode : CLIENT_GONE;
    usageCounters.count(
      caller.key,
      {
        door,
        operation,
        status,
        cost,
        refusal: refusal && refusalOf(refusal, { door, operation, at: new Date(atMs) }),
      },
      atMs,
    );
  }
}

/** What quotas-service.ts and over-limit.ts tell a client. */
interface RefusalDetails {
  window?: string;
  limit?: number;
  cost?: number;
  resetAt?: string;
  /** Of a ban. */
  until?: string;
}

function refusalOf(
  { code, message, details }: ApiError,
  request: { door: Door; operation: string; at: Date },
): Refusal {
  const { window, limit, cost, resetAt, until = resetAt } = (details ?? {}) as RefusalDetails;
  return {
    ...request,
    code,
    message,
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit }),
    ...(cost !== undefined && { cost }),
    ...(until !== undefined && { resetAt: new Date(until) }),
  };
}

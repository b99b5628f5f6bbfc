import type { Request, Response } from 'express';
import type { ApiError } from '../lib/errors.js';
import type { Clock } from '../lib/clock.js';
import { CLIENT_GONE, OTHER_OPERATION, type Door, type Refusal } from '../usage/usage.js';
import type { UsageCounters } from '../usage/usage-counters.js';
import { exchangeOf } from './exchange.js';

export interface CountUsageParts {
  usageCounters: UsageCounters;
  clock: Clock;
}

/**
 * Counts a request of a known key once it has ended; what the dashboard asks by its session is none of the key's.
 * @param operationOf what a request asked for whose door has not said so
 */
export function countUsage(
  { usageCounters, clock }: CountUsageParts,
  operationOf: (req: Request) => string | undefined = () => undefined,
): (res: Response) => void {
  return (res) => {
    const exchange = exchangeOf(res);
    const { caller, door = 'rest', cost = 0, refusal } = exchange;
    if (caller === undefined || exchange.isBySession === true) return;
    const operation = exchange.operation ?? operationOf(res.req) ?? OTHER_OPERATION;
    const status = res.writableFinished ? res.statusCode : CLIENT_GONE;
    const atMs = clock();
    const told = refusal && refusalOf(refusal, { door, operation, at: new Date(atMs) });
    usageCounters.count(caller.key, { door, operation, status, cost, refusal: told }, atMs);
  };
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

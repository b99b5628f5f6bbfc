import type { Request, Response } from 'express';
import type { Clock } from '../lib/clock.js';
import { CLIENT_GONE, OTHER_OPERATION } from '../usage/usage.js';
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
    usageCounters.count(caller.key, { door, operation, status, cost, refusal }, clock());
  };
}

import type { Clock } from '../lib/clock.js';
import { REFUSED } from '../features/usage/usage.js';
import type { UsageCounters } from '../features/usage/usage-counters.js';
import type { EndedRequest } from './ended-request.js';

export interface CountUsageParts {
  usageCounters: UsageCounters;
  clock: Clock;
}

/** Counts a request of a known key; what the dashboard asks by its session is none of the key's. */
export function countUsage({ usageCounters, clock }: CountUsageParts): (request: EndedRequest) => void {
  return ({ caller, isBySession, door, operation, status, cost = 0, error }) => {
    if (caller === undefined || isBySession) return;
    const refusal = error?.status === REFUSED ? error : undefined;
    usageCounters.count(caller.key, { door, operation, status, cost, refusal }, clock());
  };
}

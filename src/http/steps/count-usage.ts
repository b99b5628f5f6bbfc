import type { Clock } from '../../lib/clock.js';
import { REFUSED } from '../../features/usage/usage.js';
import type { UsageCounters } from '../../features/usage/usage-counters.js';
import type { FinishedRequest } from './finished-request.js';

export interface CountUsageParts {
  usageCounters: UsageCounters;
  clock: Clock;
}

/** Counts a request with a known key. Requests of dashboard sessions count only if the key was charged for them. */
export function countUsage({ usageCounters, clock }: CountUsageParts): (request: FinishedRequest) => void {
  return ({ caller, isBySession, interface: apiInterface, operation, status, cost, error }) => {
    if (caller === undefined || (isBySession && cost === undefined)) return;
    const refusal = error?.status === REFUSED ? error : undefined;
    usageCounters.count(
      caller.key,
      { interface: apiInterface, operation, status, cost: cost ?? 0, refusal },
      clock(),
    );
  };
}

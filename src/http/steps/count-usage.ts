import type { Clock } from '../../lib/clock.js';
import { REFUSED } from '../../features/usage/usage.js';
import type { UsageCounters } from '../../features/usage/usage-counters.js';
import type { FinishedRequest } from './finished-request.js';

export interface CountUsageParts {
  usageCounters: UsageCounters;
  clock: Clock;
}

/** Counts a request of a known key; of those of the dashboard's sessions, the ones that the key was charged for. */
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

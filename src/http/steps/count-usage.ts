import type { Clock } from '../../lib/clock.js';
import type { Caller } from '../../features/keys/caller.js';
import type { TrafficSource } from '../../features/usage/traffic.js';
import type { Recorder } from '../../features/usage/recorder.js';
import { REFUSED } from '../../features/usage/usage.js';
import type { FinishedRequest } from './finished-request.js';

export interface CountUsageParts {
  recorder: Pick<Recorder, 'countRequest'>;
  clock: Clock;
}

/**
 * Counts a request in the usage of its key, and every request to the API in the traffic of the gateway. Requests of
 * dashboard sessions count only if the key was charged for them.
 */
export function countUsage({ recorder, clock }: CountUsageParts): (request: FinishedRequest) => void {
  return (request) => {
    const { caller, isBySession, interface: apiInterface, operation, status, cost, error } = request;
    if (isBySession && cost === undefined) return;
    if (caller === undefined && !isForApi(request)) return;
    const source = sourceOf(caller);
    const refusal = error?.status === REFUSED ? error : undefined;
    recorder.countRequest(
      caller?.key,
      { interface: apiInterface, source, operation, status, cost: cost ?? 0, refusal },
      clock(),
    );
  };
}

/** Whether a request without a valid key was for the API: not for a page, a site or health, and no preflight. */
function isForApi({ area, method, status }: FinishedRequest): boolean {
  return area === undefined && !(method === 'OPTIONS' && status === 204);
}

function sourceOf(caller: Caller | undefined): TrafficSource {
  return caller === undefined ? 'unauthenticated' : (caller.project?.plan ?? 'admin');
}

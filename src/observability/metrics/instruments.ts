import { Counter, Histogram, type Registry } from 'prom-client';
import type { FinishedRequest } from '../../http/steps/finished-request.js';
import { REFUSED } from '../../features/usage/usage.js';
import type { StoreCall } from './timed.js';

/** Prefix of every metric that the gateway defines. */
export const PREFIX = 'pets_gateway_';
/** Upper bounds, seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export type TimedStore = 'pets' | 'keys' | `quota_${string}`;

/** Metrics that are counted as events happen. */
export interface Instruments {
  countRequest: (request: FinishedRequest) => void;
  countBan(): void;
  /** Records how long a request waited for its charge. */
  timeDecision(call: StoreCall): void;
  timeStore(store: TimedStore): (call: StoreCall) => void;
}

export function createInstruments(registry: Registry): Instruments {
  const registers = [registry];
  const requests = new Counter({
    name: `${PREFIX}requests_total`,
    help: 'Requests that have ended, by interface, operation and HTTP status; 499: the client went away.',
    labelNames: ['interface', 'operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['interface', 'operation'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const decisions = new Counter({
    name: `${PREFIX}quota_decisions_total`,
    help: 'Requests of known keys: admitted, or the error code they were refused with. plan none: admin keys.',
    labelNames: ['plan', 'decision'],
    registers,
  });
  const units = new Counter({
    name: `${PREFIX}quota_units_total`,
    help: 'Units of quota that requests were charged.',
    labelNames: ['plan'],
    registers,
  });
  const bans = new Counter({
    name: `${PREFIX}bans_total`,
    help: 'Bans of keys that began at this gateway.',
    registers,
  });
  const waits = new Histogram({
    name: `${PREFIX}quota_decision_duration_seconds`,
    help: 'How long a request waited for its charge to be decided.',
    buckets: STORE_BUCKETS,
    registers,
  });
  const calls = new Histogram({
    name: `${PREFIX}store_duration_seconds`,
    help: 'Calls of a store, those that failed too.',
    labelNames: ['store', 'operation'],
    buckets: STORE_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: `${PREFIX}store_failures_total`,
    help: 'Calls of a store that failed.',
    labelNames: ['store', 'operation'],
    registers,
  });

  return {
    countRequest({ place, operation, status, durationMs, caller, isBySession, cost, error, ...request }) {
      const apiInterface = place ?? request.interface;
      requests.inc({ interface: apiInterface, operation, status });
      durations.observe({ interface: apiInterface, operation }, durationMs / 1000);
      if (caller === undefined || (isBySession && cost === undefined)) return;
      const plan = caller.project?.plan ?? 'none';
      if (error?.status === REFUSED) decisions.inc({ plan, decision: error.code });
      else if (cost !== undefined) decisions.inc({ plan, decision: 'admitted' });
      if (cost !== undefined) units.inc({ plan }, cost);
    },
    countBan: () => bans.inc(),
    timeDecision({ operation, seconds }) {
      if (operation === 'charge') waits.observe(seconds);
    },
    timeStore:
      (store) =>
      ({ operation, seconds, failed }) => {
        calls.observe({ store, operation }, seconds);
        if (failed) failures.inc({ store, operation });
      },
  };
}

import { Counter, Histogram, type Registry } from 'prom-client';
import type { FinishedRequest } from '../../http/steps/finished-request.js';
import { OPERATIONS } from '../../http/versioning/operations.js';
import { OTHER_OPERATION, REFUSED } from '../../features/usage/usage.js';
import type { StoreCall } from './timed.js';

/** Prefix of every metric that the gateway defines. */
export const PREFIX = 'pets_gateway_';
/** Upper bounds, seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Of the failures that a gateway itself causes, or passes on from its stores. */
const FAILURES = [500, 503];

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
    help: 'Finished requests, by interface, operation and HTTP status; 499: the client disconnected.',
    labelNames: ['interface', 'operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: `${PREFIX}request_duration_seconds`,
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['interface', 'operation'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const decisions = new Counter({
    name: `${PREFIX}quota_decisions_total`,
    help: 'Quota decisions on requests with a valid key, by plan: admitted, or the error code. Plan none: admin keys.',
    labelNames: ['plan', 'decision'],
    registers,
  });
  const units = new Counter({
    name: `${PREFIX}quota_units_total`,
    help: 'Quota units charged.',
    labelNames: ['plan'],
    registers,
  });
  const bans = new Counter({
    name: `${PREFIX}bans_total`,
    help: 'Key bans that this gateway started.',
    registers,
  });
  const waits = new Histogram({
    name: `${PREFIX}quota_decision_duration_seconds`,
    help: 'Time that a request waited for its quota decision.',
    buckets: STORE_BUCKETS,
    registers,
  });
  const calls = new Histogram({
    name: `${PREFIX}store_duration_seconds`,
    help: 'Duration of calls to a store, including failed calls.',
    labelNames: ['store', 'operation'],
    buckets: STORE_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: `${PREFIX}store_failures_total`,
    help: 'Failed calls to a store.',
    labelNames: ['store', 'operation'],
    registers,
  });

  for (const apiInterface of ['rest', 'graphql'] as const)
    for (const operation of [...Object.keys(OPERATIONS[apiInterface]), OTHER_OPERATION])
      // From 0, because rate() does not see the first value of a series: a burst right after the start would not show.
      for (const status of FAILURES)
        requests.inc(
          { interface: apiInterface, operation: operation.slice(operation.indexOf('.') + 1), status },
          0,
        );

  return {
    countRequest({ area, operation, status, durationMs, caller, isBySession, cost, error, ...request }) {
      const apiInterface = area ?? request.interface;
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
        // From 0, because rate() does not see the first value of a series.
        failures.inc({ store, operation }, failed ? 1 : 0);
      },
  };
}

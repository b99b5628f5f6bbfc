import type { Contestant } from './comparisons.js';
import { WORKLOAD_NAMES, type WorkloadName } from './workloads.js';

/** What the gateway has to reach: a number that is relative to another contestant of the same comparison. */
export interface Bound {
  workload: WorkloadName;
  connections: number;
  metric: 'requestsPerSecond' | 'p50Ms' | 'p99Ms' | 'mongodOperations';
  /** Undefined: the number itself is bounded. */
  rival?: Contestant;
  /** Each has to. */
  subjects: readonly Contestant[];
  limit: { atLeast: number } | { atMost: number };
}

const BARE_HTTP: Contestant = { target: 'bare-http', keys: 'none' };
const BARE_EXPRESS: Contestant = { target: 'bare-express', keys: 'none' };
const BARE_EMPTY: Contestant = { target: 'bare-empty', keys: 'none' };
const PARSE_SERVER: Contestant = { target: 'parse-server', keys: 'none' };
const OPEN: Contestant = { target: 'gateway-open', keys: 'none' };
const USED_UP: Contestant = { target: 'gateway', keys: 'used-up' };
const USED_UP_BY_DEFAULT: Contestant = { target: 'gateway-logged', keys: 'used-up' };
const ONE: Contestant = { target: 'gateway', keys: 'one' };
const LOGGED: Contestant = { target: 'gateway-logged', keys: 'one' };
const SAMPLED: Contestant = { target: 'gateway-sampled', keys: 'one' };
const UNMETERED: Contestant = { target: 'gateway-unmetered', keys: 'one' };
const BARE_APOLLO: Contestant = { target: 'bare-apollo', keys: 'none' };
const MERCURIUS: Contestant = { target: 'mercurius-jit', keys: 'none' };
const YOGA: Contestant = { target: 'yoga', keys: 'none' };
/** As the settings are by default, with counters in MongoDB and in Redis. */
const BY_DEFAULT: readonly Contestant[] = [LOGGED, { target: 'gateway-redis-logged', keys: 'one' }];
const GATEWAYS: readonly Contestant[] = (['gateway', 'gateway-redis'] as const).flatMap((target) =>
  (['one', 'pro'] as const).map((keys) => ({ target, keys })),
);

const manyKeysOf = (...targets: readonly Contestant['target'][]): Contestant[] =>
  targets.flatMap((target) => (['thousand', 'ten-thousand'] as const).map((keys) => ({ target, keys })));

/** Requests a second, as multiples of the baseline's and of Parse Server's. */
const THROUGHPUT = [
  { workload: 'list', bareHttp: 2, parseServer: 8 },
  { workload: 'lists', bareHttp: 1, parseServer: 4 },
  { workload: 'get', bareHttp: 1.5, parseServer: 5 },
  { workload: 'create', bareHttp: 2, parseServer: 8 },
  { workload: 'graphql-list', bareHttp: 0.8, parseServer: 6 },
] as const;
/** With the default settings: requests a second, as multiples of a rival's. */
const THROUGHPUT_BY_DEFAULT = [
  { workload: 'list', rival: BARE_HTTP, times: 4.5 },
  { workload: 'lists', rival: BARE_HTTP, times: 3.5 },
  { workload: 'get', rival: BARE_HTTP, times: 2.5 },
  { workload: 'create', rival: BARE_HTTP, times: 3 },
  { workload: 'graphql-list', rival: BARE_HTTP, times: 2 },
  { workload: 'graphql-list', rival: PARSE_SERVER, times: 9 },
  { workload: 'graphql-list', rival: MERCURIUS, times: 1 },
  { workload: 'graphql-list', rival: YOGA, times: 1 },
  { workload: 'graphql-create', rival: BARE_HTTP, times: 2 },
] as const;
/** What is on, against the same gateway with it off: at least this share of the requests a second. */
const ON_AGAINST_OFF = [
  { on: LOGGED, off: ONE, share: 0.95 },
  { on: SAMPLED, off: ONE, share: 0.95 },
  { on: ONE, off: UNMETERED, share: 0.97 },
  { on: ONE, off: OPEN, share: 0.95 },
] as const;
/** With one connection: p50, as a multiple of a rival's. */
const LATENCY_BY_DEFAULT = [
  { workload: 'list', rival: BARE_EXPRESS, times: 1 },
  { workload: 'get', rival: BARE_EXPRESS, times: 1 },
  { workload: 'create', rival: BARE_EXPRESS, times: 1 },
  { workload: 'graphql-list', rival: BARE_APOLLO, times: 0.8 },
] as const;
const P99_OF_200_CONNECTIONS = 0.5;
/** Requests a second with many keys, as multiples of the baseline's. */
const MANY_KEYS = [
  { workload: 'get', mongodb: 1.2, redis: 1.5 },
  { workload: 'list', mongodb: 2, redis: 2.5 },
] as const;
const REFUSED_AGAINST_ADMITTED = 3;
const REFUSED_AGAINST_EMPTY = 0.6;
/** A refused request asks no store; what else MongoDB is asked is not the same in every second. */
const OPERATIONS_OF_OTHERS = 0.02;
const LATENCY_AGAINST_EXPRESS = 1.3;

export const BOUNDS: readonly Bound[] = [
  ...THROUGHPUT.flatMap(({ workload, bareHttp, parseServer }): Bound[] => {
    const busy = { workload, connections: 50, subjects: GATEWAYS };
    return [
      { ...busy, metric: 'requestsPerSecond', rival: BARE_HTTP, limit: { atLeast: bareHttp } },
      { ...busy, metric: 'requestsPerSecond', rival: PARSE_SERVER, limit: { atLeast: parseServer } },
      { ...busy, metric: 'p99Ms', rival: BARE_HTTP, limit: { atMost: 1 } },
    ];
  }),
  ...MANY_KEYS.flatMap(({ workload, mongodb, redis }): Bound[] => {
    const busy = { workload, connections: 50, metric: 'requestsPerSecond', rival: BARE_HTTP } as const;
    return [
      { ...busy, subjects: manyKeysOf('gateway', 'gateway-logged'), limit: { atLeast: mongodb } },
      { ...busy, subjects: manyKeysOf('gateway-redis', 'gateway-redis-logged'), limit: { atLeast: redis } },
    ];
  }),
  ...(['list', 'get', 'create'] as const).flatMap((workload): Bound[] => {
    const busy = { workload, connections: 50, metric: 'requestsPerSecond' } as const;
    return [
      ...ON_AGAINST_OFF.map(({ on, off, share }): Bound => ({
        ...busy,
        subjects: [on],
        rival: off,
        limit: { atLeast: share },
      })),
      { ...busy, subjects: [USED_UP], rival: ONE, limit: { atLeast: REFUSED_AGAINST_ADMITTED } },
      {
        ...busy,
        subjects: [USED_UP, USED_UP_BY_DEFAULT],
        rival: BARE_EMPTY,
        limit: { atLeast: REFUSED_AGAINST_EMPTY },
      },
      {
        ...busy,
        metric: 'mongodOperations',
        subjects: [USED_UP],
        limit: { atMost: OPERATIONS_OF_OTHERS },
      },
      {
        workload,
        connections: 1,
        metric: 'p50Ms',
        subjects: [ONE],
        rival: BARE_EXPRESS,
        limit: { atMost: LATENCY_AGAINST_EXPRESS },
      },
    ];
  }),
  ...THROUGHPUT_BY_DEFAULT.map(({ workload, rival, times }): Bound => ({
    ...{ workload, connections: 50, metric: 'requestsPerSecond', rival, subjects: BY_DEFAULT },
    limit: { atLeast: times },
  })),
  ...LATENCY_BY_DEFAULT.map(({ workload, rival, times }): Bound => ({
    ...{ workload, connections: 1, metric: 'p50Ms', rival, subjects: BY_DEFAULT },
    limit: { atMost: times },
  })),
  ...WORKLOAD_NAMES.map((workload): Bound => ({
    ...{ workload, connections: 200, metric: 'p99Ms', rival: BARE_HTTP, subjects: BY_DEFAULT },
    limit: { atMost: P99_OF_200_CONNECTIONS },
  })),
];

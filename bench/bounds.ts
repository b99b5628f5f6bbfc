import {
  bareApollo,
  bareEmpty,
  bareExpress,
  bareHttp,
  byDefault,
  gateway,
  listByStatus,
  logged,
  mercuriusJit,
  open,
  parseServer,
  redis,
  sampled,
  unmetered,
  yoga,
  type Contestant,
} from './contestants.js';
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

const GATEWAYS: readonly Contestant[] = [gateway('one'), gateway('pro'), redis('one'), redis('pro')];

const manyKeysOf = (...targets: readonly Contestant['target'][]): Contestant[] =>
  targets.flatMap((target) => (['thousand', 'ten-thousand'] as const).map((keys) => ({ target, keys })));

/** Requests a second, as multiples of the baseline's and of Parse Server's. */
const THROUGHPUT = [
  { workload: 'list', ofBareHttp: 2, ofParseServer: 8 },
  { workload: 'lists', ofBareHttp: 1, ofParseServer: 4 },
  { workload: 'get', ofBareHttp: 1.5, ofParseServer: 5 },
  { workload: 'create', ofBareHttp: 2, ofParseServer: 8 },
  { workload: 'graphql-list', ofBareHttp: 0.8, ofParseServer: 6 },
] as const;
/** With the default settings: requests a second, as multiples of a rival's. */
const THROUGHPUT_BY_DEFAULT = [
  { workload: 'list', rival: bareHttp, times: 4.5 },
  { workload: 'lists', rival: bareHttp, times: 3.5 },
  { workload: 'get', rival: bareHttp, times: 2.5 },
  { workload: 'create', rival: bareHttp, times: 3 },
  { workload: 'update', rival: bareHttp, times: 1.5 },
  { workload: 'graphql-list', rival: bareHttp, times: 2 },
  { workload: 'graphql-list', rival: parseServer, times: 9 },
  { workload: 'graphql-list', rival: mercuriusJit, times: 1 },
  { workload: 'graphql-list', rival: yoga, times: 1 },
  { workload: 'graphql-create', rival: bareHttp, times: 2 },
] as const;
/** What is on, against the same gateway with it off: at least this share of the requests a second. */
const ON_AGAINST_OFF = [
  { on: logged('one'), off: gateway('one'), share: 0.95 },
  { on: sampled, off: gateway('one'), share: 0.95 },
  { on: gateway('one'), off: unmetered, share: 0.97 },
  { on: gateway('one'), off: open, share: 0.95 },
] as const;
/** With one connection: p50, as a multiple of a rival's. */
const LATENCY_BY_DEFAULT = [
  { workload: 'list', rival: bareExpress, times: 1 },
  { workload: 'get', rival: bareExpress, times: 1 },
  { workload: 'create', rival: bareExpress, times: 1 },
  { workload: 'graphql-list', rival: bareApollo, times: 0.8 },
] as const;
const P99_OF_200_CONNECTIONS = 0.5;
/** Requests a second with many keys, as multiples of the baseline's. */
const MANY_KEYS = [
  { workload: 'get', onMongodb: 1.2, onRedis: 1.5 },
  { workload: 'list', onMongodb: 2, onRedis: 2.5 },
] as const;
const REFUSED_AGAINST_ADMITTED = 3;
const REFUSED_AGAINST_EMPTY = 0.6;
/** A refused request asks no store; what else MongoDB is asked is not the same in every second. */
const OPERATIONS_OF_OTHERS = 0.02;
const LATENCY_AGAINST_EXPRESS = 1.3;

export const BOUNDS: readonly Bound[] = [
  ...THROUGHPUT.flatMap(({ workload, ofBareHttp, ofParseServer }): Bound[] => {
    const busy = { workload, connections: 50, subjects: GATEWAYS };
    return [
      { ...busy, metric: 'requestsPerSecond', rival: bareHttp, limit: { atLeast: ofBareHttp } },
      { ...busy, metric: 'requestsPerSecond', rival: parseServer, limit: { atLeast: ofParseServer } },
      { ...busy, metric: 'p99Ms', rival: bareHttp, limit: { atMost: 1 } },
    ];
  }),
  ...MANY_KEYS.flatMap(({ workload, onMongodb, onRedis }): Bound[] => {
    const busy = { workload, connections: 50, metric: 'requestsPerSecond', rival: bareHttp } as const;
    return [
      { ...busy, subjects: manyKeysOf('gateway', 'gateway-logged'), limit: { atLeast: onMongodb } },
      { ...busy, subjects: manyKeysOf('gateway-redis', 'gateway-redis-logged'), limit: { atLeast: onRedis } },
    ];
  }),
  {
    workload: 'list-own',
    connections: 50,
    metric: 'requestsPerSecond',
    subjects: [gateway('one')],
    rival: listByStatus,
    limit: { atLeast: 1 },
  },
  ...(['list', 'get', 'create'] as const).flatMap((workload): Bound[] => {
    const busy = { workload, connections: 50, metric: 'requestsPerSecond' } as const;
    return [
      ...ON_AGAINST_OFF.map(({ on, off, share }): Bound => ({
        ...busy,
        subjects: [on],
        rival: off,
        limit: { atLeast: share },
      })),
      {
        ...busy,
        subjects: [gateway('used-up')],
        rival: gateway('one'),
        limit: { atLeast: REFUSED_AGAINST_ADMITTED },
      },
      {
        ...busy,
        subjects: [gateway('used-up'), logged('used-up')],
        rival: bareEmpty,
        limit: { atLeast: REFUSED_AGAINST_EMPTY },
      },
      {
        ...busy,
        metric: 'mongodOperations',
        subjects: [gateway('used-up')],
        limit: { atMost: OPERATIONS_OF_OTHERS },
      },
      {
        workload,
        connections: 1,
        metric: 'p50Ms',
        subjects: [gateway('one')],
        rival: bareExpress,
        limit: { atMost: LATENCY_AGAINST_EXPRESS },
      },
    ];
  }),
  ...THROUGHPUT_BY_DEFAULT.map(({ workload, rival, times }): Bound => ({
    ...{ workload, connections: 50, metric: 'requestsPerSecond', rival, subjects: byDefault },
    limit: { atLeast: times },
  })),
  ...LATENCY_BY_DEFAULT.map(({ workload, rival, times }): Bound => ({
    ...{ workload, connections: 1, metric: 'p50Ms', rival, subjects: byDefault },
    limit: { atMost: times },
  })),
  ...WORKLOAD_NAMES.map((workload): Bound => ({
    ...{ workload, connections: 200, metric: 'p99Ms', rival: bareHttp, subjects: byDefault },
    limit: { atMost: P99_OF_200_CONNECTIONS },
  })),
];

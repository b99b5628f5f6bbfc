import type { Contestant } from './comparisons.js';
import { nameOf } from './measure.js';
import { findCell, type Cell, type Medians } from './summary.js';
import type { WorkloadName } from './workloads.js';

/** What the gateway has to reach: a number that is relative to another contestant of the same comparison. */
interface Bound {
  workload: WorkloadName;
  connections: number;
  metric: 'requestsPerSecond' | 'p50Ms' | 'p99Ms' | 'mongodOperations';
  /** Undefined: the number itself is bounded. */
  rival?: Contestant;
  /** Each has to. */
  subjects: readonly Contestant[];
  limit: { atLeast: number } | { atMost: number };
}

/** How a bound was kept in a run. */
export interface MarkLine {
  what: string;
  bound: string;
  subjects: { name: string; measured: number; reached: boolean }[];
}

const BARE_HTTP: Contestant = { target: 'bare-http', keys: 'none' };
const BARE_EXPRESS: Contestant = { target: 'bare-express', keys: 'none' };
const BARE_EMPTY: Contestant = { target: 'bare-empty', keys: 'none' };
const PARSE_SERVER: Contestant = { target: 'parse-server', keys: 'none' };
const OPEN: Contestant = { target: 'gateway-open', keys: 'none' };
const USED_UP: Contestant = { target: 'gateway', keys: 'used-up' };
const ONE: Contestant = { target: 'gateway', keys: 'one' };
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
/** Requests a second with many keys, as multiples of the baseline's. */
const MANY_KEYS = [
  { workload: 'get', mongodb: 1.2, redis: 1.5 },
  { workload: 'list', mongodb: 2, redis: 2.5 },
] as const;
const ON_AGAINST_OFF = 0.9;
const REFUSED_AGAINST_ADMITTED = 3;
const REFUSED_AGAINST_EMPTY = 0.6;
/** A refused request asks no store; what else MongoDB is asked is not the same in every second. */
const OPERATIONS_OF_OTHERS = 0.02;
const LATENCY_AGAINST_EXPRESS = 1.3;

const BOUNDS: readonly Bound[] = [
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
      { ...busy, subjects: [ONE], rival: OPEN, limit: { atLeast: ON_AGAINST_OFF } },
      { ...busy, subjects: [USED_UP], rival: ONE, limit: { atLeast: REFUSED_AGAINST_ADMITTED } },
      { ...busy, subjects: [USED_UP], rival: BARE_EMPTY, limit: { atLeast: REFUSED_AGAINST_EMPTY } },
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
];

const METRICS: Readonly<Record<Bound['metric'], string>> = {
  requestsPerSecond: 'req/s',
  p50Ms: 'p50',
  p99Ms: 'p99',
  mongodOperations: 'MongoDB operations a request',
};

/** The mark, as far as these cells tell of it. */
export function judge(cells: readonly Cell[]): MarkLine[] {
  return BOUNDS.map((bound) => {
    const { workload, connections, metric, rival, subjects, limit } = bound;
    const against = rival === undefined ? '' : ` against ${nameOf(rival)}`;
    return {
      what: `${workload} × ${connections}: ${METRICS[metric]}${against}`,
      bound: 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`,
      subjects: subjects.flatMap((subject) => {
        const measured = measuredIn(cells, bound, subject);
        if (measured === undefined) return [];
        return [{ name: nameOf(subject), measured, reached: isWithin(measured, limit) }];
      }),
    };
  }).filter((line) => line.subjects.length > 0);
}

function measuredIn(
  cells: readonly Cell[],
  { workload, connections, metric, rival }: Bound,
  subject: Contestant,
): number | undefined {
  const valueOf = (contestant: Contestant): Medians[Bound['metric']] | undefined =>
    findCell(cells, workload, connections, contestant)?.medians[metric];
  const own = valueOf(subject);
  if (rival === undefined || own === undefined) return own;
  const other = valueOf(rival);
  return other === undefined ? undefined : own / other;
}

function isWithin(measured: number, limit: Bound['limit']): boolean {
  return 'atLeast' in limit ? measured >= limit.atLeast : measured <= limit.atMost;
}

import type { Contestant } from './comparisons.js';
import { nameOf } from './measure.js';
import { findCell, type Cell, type Medians } from './summary.js';
import type { WorkloadName } from './workloads.js';

/** A bound that the gateway has to keep, relative to another cell of the same run. */
interface Bound {
  workload: WorkloadName;
  connections: number;
  metric: keyof Medians;
  subject: Contestant;
  /** Undefined: the subject's own number is bounded. */
  rival?: Contestant;
  atLeast?: number;
  atMost?: number;
}

/** How a bound was kept in a run. */
export interface MarkLine {
  what: string;
  measured: number;
  bound: string;
  reached: boolean;
}

const BARE_HTTP: Contestant = { target: 'bare-http', keys: 'none' };
const BARE_EXPRESS: Contestant = { target: 'bare-express', keys: 'none' };
const PARSE_SERVER: Contestant = { target: 'parse-server', keys: 'none' };
const OPEN: Contestant = { target: 'gateway-open', keys: 'none' };
const USED_UP: Contestant = { target: 'gateway', keys: 'used-up' };
const ONE: Contestant = { target: 'gateway', keys: 'one' };
const GATEWAYS: readonly Contestant[] = (['gateway', 'gateway-redis'] as const).flatMap((target) =>
  (['one', 'pro'] as const).map((keys) => ({ target, keys })),
);

/** Requests a second, as multiples of the baseline's and of Parse Server's. */
const THROUGHPUT = [
  { workload: 'list', bareHttp: 2, parseServer: 8 },
  { workload: 'lists', bareHttp: 1, parseServer: 4 },
  { workload: 'get', bareHttp: 1.5, parseServer: 5 },
  { workload: 'create', bareHttp: 2, parseServer: 8 },
  { workload: 'graphql-list', bareHttp: 0.8, parseServer: 6 },
] as const;
const ON_AGAINST_OFF = 0.9;
const REFUSED_AGAINST_ADMITTED = 3;
/** A refused request asks no store; what else MongoDB is asked is not the same in every second. */
const OPERATIONS_OF_OTHERS = 0.02;
const LATENCY_AGAINST_EXPRESS = 1.3;

const throughput: readonly Bound[] = THROUGHPUT.flatMap(({ workload, bareHttp, parseServer }) =>
  GATEWAYS.flatMap((subject): Bound[] => {
    const bound = { workload, connections: 50, subject };
    return [
      { ...bound, metric: 'requestsPerSecond', rival: BARE_HTTP, atLeast: bareHttp },
      { ...bound, metric: 'requestsPerSecond', rival: PARSE_SERVER, atLeast: parseServer },
      { ...bound, metric: 'p99Ms', rival: BARE_HTTP, atMost: 1 },
    ];
  }),
);

const others: readonly Bound[] = (['list', 'get', 'create'] as const).flatMap((workload): Bound[] => {
  const busy = { workload, connections: 50, metric: 'requestsPerSecond' } as const;
  return [
    { ...busy, subject: ONE, rival: OPEN, atLeast: ON_AGAINST_OFF },
    { ...busy, subject: USED_UP, rival: ONE, atLeast: REFUSED_AGAINST_ADMITTED },
    { ...busy, metric: 'mongodOperations', subject: USED_UP, atMost: OPERATIONS_OF_OTHERS },
    {
      workload,
      connections: 1,
      metric: 'p50Ms',
      subject: ONE,
      rival: BARE_EXPRESS,
      atMost: LATENCY_AGAINST_EXPRESS,
    },
  ];
});

const METRICS: Partial<Record<keyof Medians, string>> = {
  requestsPerSecond: 'req/s',
  p50Ms: 'p50',
  p99Ms: 'p99',
  mongodOperations: 'MongoDB operations per request',
};

/** The mark, as far as these cells tell of it. */
export function judge(cells: readonly Cell[]): MarkLine[] {
  return [...throughput, ...others].flatMap((bound) => {
    const measured = measuredIn(cells, bound);
    return measured === undefined ? [] : [lineOf(bound, measured)];
  });
}

function measuredIn(
  cells: readonly Cell[],
  { workload, connections, metric, subject, rival }: Bound,
): number | undefined {
  const valueOf = (contestant: Contestant) =>
    findCell(cells, workload, connections, contestant)?.medians[metric];
  const own = valueOf(subject);
  if (rival === undefined || own === undefined) return own;
  const others = valueOf(rival);
  return others === undefined ? undefined : own / others;
}

function lineOf(
  { workload, connections, metric, subject, rival, atLeast = 0, atMost = Infinity }: Bound,
  measured: number,
): MarkLine {
  const against = rival === undefined ? '' : ` against ${nameOf(rival)}`;
  return {
    what: `${workload} × ${connections}: ${METRICS[metric] ?? metric} of ${nameOf(subject)}${against}`,
    measured,
    bound: atLeast > 0 ? `≥ ${atLeast}` : `≤ ${atMost}`,
    reached: measured >= atLeast && measured <= atMost,
  };
}

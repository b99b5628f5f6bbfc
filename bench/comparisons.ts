import type { BenchOptions } from './options.js';
import type { KeyUse } from './targets/gateway-keys.js';
import type { TargetName } from './targets/targets.js';
import type { WorkloadName } from './workloads.js';

/** Who takes part in a comparison: a target, and whose keys it is asked with. */
export interface Contestant {
  target: TargetName;
  keys: KeyUse;
}

/** One workload at one number of connections: its contestants are measured in turn, round after round. */
export interface Comparison {
  workload: WorkloadName;
  connections: number;
  contestants: readonly Contestant[];
}

const bareHttp: Contestant = { target: 'bare-http', keys: 'none' };
const bareExpress: Contestant = { target: 'bare-express', keys: 'none' };
const bareApollo: Contestant = { target: 'bare-apollo', keys: 'none' };
const parseServer: Contestant = { target: 'parse-server', keys: 'none' };
const gateway = (keys: KeyUse): Contestant => ({ target: 'gateway', keys });
const redis = (keys: KeyUse): Contestant => ({ target: 'gateway-redis', keys });
const workers: Contestant = { target: 'gateway-workers', keys: 'one' };
const logged: Contestant = { target: 'gateway-logged', keys: 'one' };
const traced: Contestant = { target: 'gateway-traced', keys: 'one' };
const open: Contestant = { target: 'gateway-open', keys: 'none' };

const marked = [bareHttp, gateway('one'), gateway('pro'), redis('one'), redis('pro'), parseServer];
const markedOnOff = [...marked, open, logged, traced, gateway('used-up')];

/** The lines of the mark, at 50 connections and at one. */
const QUICK: readonly Comparison[] = [
  { workload: 'list', connections: 50, contestants: markedOnOff },
  { workload: 'lists', connections: 50, contestants: marked },
  { workload: 'get', connections: 50, contestants: markedOnOff },
  { workload: 'create', connections: 50, contestants: markedOnOff },
  { workload: 'graphql-list', connections: 50, contestants: [...marked, bareApollo] },
  ...(['list', 'get', 'create'] as const).map((workload) => ({
    workload,
    connections: 1,
    contestants: [bareExpress, gateway('one')],
  })),
];

const some = [bareHttp, bareExpress, gateway('one'), redis('one'), parseServer];
const someGraphql = [bareHttp, bareApollo, gateway('one'), redis('one'), parseServer];

const FULL: readonly Comparison[] = (
  ['list', 'lists', 'get', 'create', 'graphql-list', 'graphql-create', 'mixed'] as const
).flatMap((workload) => {
  const isGraphql = workload.startsWith('graphql');
  const few = isGraphql ? someGraphql : some;
  const many = [
    ...(isGraphql ? [...marked, bareApollo, open] : [...markedOnOff, bareExpress]),
    gateway('hundred'),
    redis('hundred'),
    workers,
  ];
  return [
    { workload, connections: 1, contestants: few },
    { workload, connections: 50, contestants: many },
    { workload, connections: 200, contestants: few },
  ];
});

/** What the options leave of the plan. */
export function planComparisons({
  quick,
  workloads,
  targets,
  connections,
}: BenchOptions): readonly Comparison[] {
  return (quick ? QUICK : FULL)
    .filter(({ workload }) => workloads.includes(workload))
    .filter((comparison) => connections === undefined || connections.includes(comparison.connections))
    .map((comparison) => ({
      ...comparison,
      contestants: comparison.contestants.filter(({ target }) => targets.includes(target)),
    }))
    .filter(({ contestants }) => contestants.length > 0);
}

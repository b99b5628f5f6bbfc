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

const bareEmpty: Contestant = { target: 'bare-empty', keys: 'none' };
const bareHttp: Contestant = { target: 'bare-http', keys: 'none' };
const bareExpress: Contestant = { target: 'bare-express', keys: 'none' };
const bareApollo: Contestant = { target: 'bare-apollo', keys: 'none' };
const parseServer: Contestant = { target: 'parse-server', keys: 'none' };
const gateway = (keys: KeyUse): Contestant => ({ target: 'gateway', keys });
const redis = (keys: KeyUse): Contestant => ({ target: 'gateway-redis', keys });
const workers: Contestant = { target: 'gateway-workers', keys: 'one' };
const logged = (keys: KeyUse): Contestant => ({ target: 'gateway-logged', keys });
const redisLogged = (keys: KeyUse): Contestant => ({ target: 'gateway-redis-logged', keys });
const traced: Contestant = { target: 'gateway-traced', keys: 'one' };
const open: Contestant = { target: 'gateway-open', keys: 'none' };

const marked = [bareHttp, gateway('one'), gateway('pro'), redis('one'), redis('pro'), parseServer];
const markedOnOff = [...marked, open, logged('one'), traced, gateway('used-up')];

/** The lines of the mark, at 50 connections and at one. */
const QUICK: readonly Comparison[] = [
  { workload: 'list', connections: 50, contestants: [...markedOnOff, bareEmpty] },
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

const MANY = ['hundred', 'thousand', 'ten-thousand'] as const;

/** From one key to 10,000, without log lines and with them, as by default. */
const MANY_KEYS: readonly Comparison[] = [
  ...(['get', 'list'] as const).map((workload) => ({
    workload,
    connections: 50,
    contestants: [
      bareHttp,
      open,
      ...(['one', ...MANY, 'pro'] as const).flatMap((keys) => [gateway(keys), redis(keys)]),
      ...(['one', 'ten-thousand'] as const).flatMap((keys) => [logged(keys), redisLogged(keys)]),
    ],
  })),
  {
    workload: 'create',
    connections: 50,
    contestants: [bareHttp, open, gateway('one'), gateway('ten-thousand')],
  },
  { workload: 'get', connections: 1, contestants: [bareExpress, gateway('one'), redis('one')] },
  // By themselves, because they drive the others out of the caches.
  { workload: 'get', connections: 50, contestants: [bareHttp, gateway('new'), redis('new')] },
];

const some = [bareHttp, bareExpress, gateway('one'), redis('one'), parseServer];
const someGraphql = [bareHttp, bareApollo, gateway('one'), redis('one'), parseServer];

const FULL: readonly Comparison[] = (
  ['list', 'lists', 'get', 'create', 'graphql-list', 'graphql-create', 'mixed'] as const
).flatMap((workload) => {
  const isGraphql = workload.startsWith('graphql');
  const few = isGraphql ? someGraphql : some;
  const many = [
    ...(isGraphql ? [...marked, bareApollo, open] : [...markedOnOff, bareExpress, bareEmpty]),
    ...MANY.flatMap((keys) => [gateway(keys), redis(keys)]),
    workers,
  ];
  return [
    { workload, connections: 1, contestants: few },
    { workload, connections: 50, contestants: many },
    { workload, connections: 200, contestants: few },
  ];
});

const PLANS = { full: FULL, quick: QUICK, 'many-keys': MANY_KEYS } as const;

/** What the options leave of the plan. */
export function planComparisons({
  plan,
  workloads,
  targets,
  connections,
}: BenchOptions): readonly Comparison[] {
  return PLANS[plan]
    .filter(({ workload }) => workloads.includes(workload))
    .filter((comparison) => connections === undefined || connections.includes(comparison.connections))
    .map((comparison) => ({
      ...comparison,
      contestants: comparison.contestants.filter(({ target }) => targets.includes(target)),
    }))
    .filter(({ contestants }) => contestants.length > 0);
}

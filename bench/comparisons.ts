import {
  bareApollo,
  bareEmpty,
  bareExpress,
  bareHttp,
  byDefault,
  earlier,
  earlierLogged,
  earlierRedis,
  earlierRedisLogged,
  gateway,
  listByStatus,
  logged,
  mercuriusJit,
  open,
  parseServer,
  redis,
  redisLogged,
  sampled,
  traced,
  unmetered,
  workers,
  yoga,
  type Contestant,
} from './contestants.js';
import type { BenchOptions } from './options.js';
import { isOfOwners, OWNER_WORKLOADS, WORKLOAD_NAMES, type WorkloadName } from './workloads.js';

/** One workload at one number of connections: its contestants are measured in turn, round after round. */
export interface Comparison {
  workload: WorkloadName;
  connections: number;
  contestants: readonly Contestant[];
}

const marked = [
  ...[bareHttp, gateway('one'), gateway('pro'), redis('one'), redis('pro'), ...byDefault],
  parseServer,
];
const markedRest = [...marked, gateway('used-up'), logged('used-up'), bareEmpty];
const ofOwners = {
  'list-own': [bareHttp, gateway('one'), listByStatus, redis('one'), ...byDefault],
  update: [bareHttp, gateway('one'), redis('one'), ...byDefault],
};
const graphqlRivals = [bareApollo, mercuriusJit, yoga];

/**
 * What a part of the gateway costs. First of all and each target once: a target that has answered more requests than
 * another has more of its code compiled.
 */
const ON_AND_OFF = (['list', 'get', 'create'] as const).map((workload) => ({
  workload,
  connections: 50,
  contestants: [gateway('one'), logged('one'), traced, sampled, unmetered, open],
}));

/** The lines of the mark alone. */
const QUICK: readonly Comparison[] = [
  ...ON_AND_OFF,
  { workload: 'list', connections: 50, contestants: markedRest },
  { workload: 'lists', connections: 50, contestants: marked },
  { workload: 'get', connections: 50, contestants: markedRest },
  { workload: 'create', connections: 50, contestants: markedRest },
  ...OWNER_WORKLOADS.map((workload) => ({ workload, connections: 50, contestants: ofOwners[workload] })),
  { workload: 'graphql-list', connections: 50, contestants: [...marked, ...graphqlRivals] },
  { workload: 'graphql-create', connections: 50, contestants: [bareHttp, ...byDefault] },
  ...(['list', 'get', 'create'] as const).map((workload) => ({
    workload,
    connections: 1,
    contestants: [bareExpress, gateway('one'), ...byDefault],
  })),
  { workload: 'graphql-list', connections: 1, contestants: [bareApollo, ...byDefault] },
  ...WORKLOAD_NAMES.map((workload) => ({
    workload,
    connections: 200,
    contestants: [bareHttp, ...byDefault],
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

/** This checkout and an earlier one, in which projects may own no pets. */
const AGAINST: readonly Comparison[] = [
  ...WORKLOAD_NAMES.filter((name) => !isOfOwners(name)).map((workload) => ({
    workload,
    connections: 50,
    contestants: [bareHttp, earlier('one'), gateway('one'), earlierRedis('one'), redis('one')],
  })),
  ...(['get', 'list'] as const).map((workload) => ({
    workload,
    connections: 50,
    contestants: [
      bareHttp,
      ...[earlier('thousand'), gateway('thousand'), earlierRedis('thousand'), redis('thousand')],
      ...[earlierLogged('ten-thousand'), logged('ten-thousand')],
      ...[earlierRedisLogged('ten-thousand'), redisLogged('ten-thousand')],
    ],
  })),
];

const some = [bareHttp, bareExpress, gateway('one'), redis('one'), ...byDefault, parseServer];
const someGraphql = [
  ...[bareHttp, ...graphqlRivals, gateway('one'), redis('one'), ...byDefault],
  parseServer,
];

const EVERY_WORKLOAD = WORKLOAD_NAMES.flatMap((workload): Comparison[] => {
  const isGraphql = workload.startsWith('graphql');
  if (isOfOwners(workload))
    return [1, 50, 200].map((connections) => ({ workload, connections, contestants: ofOwners[workload] }));
  const few = isGraphql ? someGraphql : some;
  const many = [
    ...(isGraphql ? [...marked, ...graphqlRivals, open] : [...markedRest, bareExpress]),
    ...MANY.flatMap((keys) => [gateway(keys), redis(keys)]),
    workers,
  ];
  return [
    { workload, connections: 1, contestants: few },
    { workload, connections: 50, contestants: many },
    { workload, connections: 200, contestants: few },
  ];
});

const FULL: readonly Comparison[] = [...ON_AND_OFF, ...EVERY_WORKLOAD];

const PLANS = { full: FULL, quick: QUICK, 'many-keys': MANY_KEYS, against: AGAINST } as const;

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

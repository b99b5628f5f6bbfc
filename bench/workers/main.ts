import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { runLoad, type Load } from '../load.js';
import { renderFacts, renderSection, round } from '../markdown.js';
import { measureIdleOperations } from '../measure.js';
import { positive } from '../options.js';
import { ownUsageOf, usageOf } from '../process-usage.js';
import { medianOf } from '../summary.js';
import { startDatabase, type BenchDatabase } from '../targets/database.js';
import { untilInterrupted } from '../until-interrupted.js';
import { createWorkloads } from '../workloads.js';
import { measureCharges, type ChargeRates } from './charge-rates.js';
import { openWorld, STORES, type Store, type World } from './gateway.js';
import { capacities, predict, type Measured } from './model.js';

const HELP = `npm run bench:workers -- [options]
  --workers LIST        numbers of workers to measure (1, 2, 4, 8 and 16, as far as there are cores)
  --cores LIST          numbers of cores to predict (4,8,16)
  --connections N       for each worker (50)
  --rounds N            of each workload, for the medians (3)
  --seconds N           of each round (2)
  --results FOLDER      ${RESULTS_HELP}
`;
const WORKLOADS = ['list', 'get', 'create'] as const;
type Workload = (typeof WORKLOADS)[number];
const PETS = 100_000;
/** As many as workers of a large machine. */
const PROCESSES = [1, 2, 4, 8, 16] as const;
const WARM_UP_SECONDS = 4;

interface Cell {
  store: Store;
  workload: Workload;
  measured: Omit<Measured, 'charges'>;
  requestsPerSecond: number;
  /** Of MongoDB, per request. */
  operations: number;
}

interface Settings {
  workers: readonly number[];
  cores: readonly number[];
  connections: number;
  rounds: number;
  seconds: number;
}

/**
 * `npm run bench:workers`: what a request takes with several workers, and what follows for machines with more cores.
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const here = availableParallelism();
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      workers: { type: 'string', default: PROCESSES.filter((count) => count <= here).join() },
      cores: { type: 'string', default: '4,8,16' },
      connections: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const settings = {
    workers: values.workers.split(',').map(positive),
    cores: values.cores.split(',').map(positive),
    connections: positive(values.connections),
    rounds: positive(values.rounds),
    seconds: positive(values.seconds),
  };
  const signal = untilInterrupted();
  const database = await startDatabase();
  try {
    const charges = await measureCharges(database, PROCESSES, signal);
    const cells: Cell[] = [];
    for (const store of STORES) cells.push(...(await measureStore(store, database, settings, signal)));
    const facts = await factsOf(startedAt);
    const markdown = render(facts, cells, charges, settings);
    const report = { facts, settings, charges, cells };
    await keepReport(values.results, 'workers', report, markdown);
    process.stdout.write(markdown);
    return 0;
  } finally {
    await database.close();
  }
}

async function measureStore(
  store: Store,
  database: BenchDatabase,
  settings: Settings,
  signal: AbortSignal,
): Promise<Cell[]> {
  const world = await openWorld(store, database, PETS);
  try {
    const cells: Cell[] = [];
    for (const workers of settings.workers)
      cells.push(...(await measureWorkers(workers, { store, world, database, settings, signal })));
    return cells;
  } finally {
    await world.close();
  }
}

interface Measuring {
  store: Store;
  world: World;
  database: BenchDatabase;
  settings: Settings;
  signal: AbortSignal;
}

async function measureWorkers(workers: number, measuring: Measuring): Promise<Cell[]> {
  const { store, world, database, settings, signal } = measuring;
  const gateway = await world.startGateway(workers);
  try {
    const idle = await measureIdleOperations(database, signal);
    const workloads = createWorkloads(PETS);
    const cells: Cell[] = [];
    for (const workload of WORKLOADS) {
      const load = async (seconds: number): Promise<Load> => ({
        url: gateway.url,
        requests: workloads[workload].rest ?? [],
        headers: {},
        keys: await world.keys(seconds),
        connections: settings.connections * workers,
        seconds,
      });
      await runLoad(await load(WARM_UP_SECONDS), signal);
      const rounds: Omit<Cell, 'store' | 'workload'>[] = [];
      for (let i = 0; i < settings.rounds; i += 1)
        rounds.push(await runRound(workers, gateway.pid, await load(settings.seconds), idle, measuring));
      const medianBy = (of: (one: (typeof rounds)[number]) => number) => medianOf(rounds.map(of));
      const cell: Cell = {
        store,
        workload,
        measured: {
          workers,
          workerUs: medianBy(({ measured }) => measured.workerUs),
          primaryUs: medianBy(({ measured }) => measured.primaryUs),
          mongodUs: medianBy(({ measured }) => measured.mongodUs),
          redisUs: medianBy(({ measured }) => measured.redisUs),
        },
        requestsPerSecond: medianBy(({ requestsPerSecond }) => requestsPerSecond),
        operations: medianBy(({ operations }) => operations),
      };
      process.stderr.write(
        `${store}, ${workers} workers, ${workload}: ${cell.requestsPerSecond.toFixed(0)} req/s\n`,
      );
      cells.push(cell);
    }
    return cells;
  } finally {
    await gateway.stop();
  }
}

async function runRound(
  workers: number,
  pid: number,
  load: Load,
  idle: number,
  { world, database, signal }: Measuring,
): Promise<Omit<Cell, 'store' | 'workload'>> {
  const cpu = () => ({
    whole: usageOf(pid).cpuUs,
    primary: workers === 1 ? 0 : ownUsageOf(pid).cpuUs,
    mongod: usageOf(database.pid).cpuUs,
    redis: world.redisPid === undefined ? 0 : usageOf(world.redisPid).cpuUs,
  });
  const operationsBefore = await database.operations();
  const before = cpu();
  const result = await runLoad(load, signal);
  const after = cpu();
  if (result.refusals + result.broken > 0)
    throw new Error(`${result.refusals + result.broken} requests failed`);
  const operations = (await database.operations()) - operationsBefore - idle * load.seconds;
  const each = (part: keyof typeof before) => (after[part] - before[part]) / result.requests;
  return {
    requestsPerSecond: result.requestsPerSecond,
    operations: Math.max(0, operations) / result.requests,
    measured: {
      workers,
      workerUs: each('whole') - each('primary'),
      primaryUs: each('primary'),
      mongodUs: each('mongod'),
      redisUs: each('redis'),
    },
  };
}

function render(
  facts: Awaited<ReturnType<typeof factsOf>>,
  cells: readonly Cell[],
  charges: readonly ChargeRates[],
  { cores, connections }: Settings,
): string {
  const rates = charges.map(({ processes, sameKey }) => ({ processes, perSecond: sameKey }));
  const here = availableParallelism();
  const kinds = STORES.flatMap((store) => WORKLOADS.map((workload) => ({ store, workload })));
  return [
    ...renderFacts(`Workers, ${facts.startedAt}`, facts),
    ...renderSection(
      `Measured: ${connections} connections for each worker, on ${here} cores`,
      [
        '',
        'workers',
        'workers µs',
        'primary µs',
        'mongod µs',
        'redis µs',
        'mongod ops',
        'req/s here',
        'limit here',
      ],
      cells.map(({ store, workload, measured, operations, requestsPerSecond }) => [
        `${workload}, ${store}`,
        String(measured.workers),
        round(measured.workerUs, 0),
        round(measured.primaryUs, 0),
        round(measured.mongodUs, 0),
        round(measured.redisUs, 0),
        round(operations, 2),
        round(requestsPerSecond, 0),
        // Without the load generator, which uses the same cores.
        round(
          (here * 1e6) / (measured.workerUs + measured.primaryUs + measured.mongodUs + measured.redisUs),
          0,
        ),
      ]),
    ),
    ...renderSection(
      'Charges per second in MongoDB, one in progress for each process',
      ['processes', 'the same key', 'each another key', 'mongod µs for a charge of the same key'],
      charges.map(({ processes, sameKey, otherKeys, mongodUs }) => [
        String(processes),
        round(sameKey, 0),
        round(otherKeys, 0),
        round(mongodUs, 0),
      ]),
    ),
    ...renderSection(
      'Predicted',
      ['', 'cores', 'best workers', 'req/s', '× one worker', 'limit'],
      kinds.flatMap(({ store, workload }) => {
        const measured = cells
          .filter((cell) => cell.store === store && cell.workload === workload)
          .map((cell) => withCharges(cell, cells));
        const one = measured.find(({ workers }) => workers === 1);
        const alone = one && Math.min(...Object.values(capacities(2, one, rates)));
        return cores.flatMap((count) => {
          const prediction = predict(count, measured, rates);
          if (prediction === undefined) return [];
          const { workers, requestsPerSecond, limit } = prediction;
          return [
            [
              `${workload}, ${store}`,
              String(count),
              String(workers),
              round(requestsPerSecond, 0),
              alone === undefined ? '' : round(requestsPerSecond / alone, 1),
              limit,
            ],
          ];
        });
      }),
    ),
    ...renderCheck(here, cells, rates),
  ].join('\n');
}

/** Where the machine has the cores: what was measured beside what the model says, with a core for the load generator. */
function renderCheck(
  here: number,
  cells: readonly Cell[],
  rates: readonly { processes: number; perSecond: number }[],
): string[] {
  const fitting = cells.filter(({ measured }) => measured.workers + 2 < here);
  if (fitting.length === 0) return [];
  return renderSection(
    'The model against this machine: one core is the load generator’s',
    ['', 'workers', 'predicted req/s', 'measured req/s', 'measured ÷ predicted'],
    fitting.map((cell) => {
      const { store, workload, measured, requestsPerSecond } = cell;
      const predicted = predict(here - 1, [withCharges(cell, cells)], rates)?.requestsPerSecond ?? NaN;
      return [
        `${workload}, ${store}`,
        String(measured.workers),
        round(predicted, 0),
        round(requestsPerSecond, 0),
        round(requestsPerSecond / predicted, 2),
      ];
    }),
  );
}

/** What MongoDB is asked beside the charges is what it is asked when Redis counts. */
function withCharges({ store, workload, measured, operations }: Cell, cells: readonly Cell[]): Measured {
  const beside = cells.find(
    (cell) =>
      cell.store === 'Redis' && cell.workload === workload && cell.measured.workers === measured.workers,
  );
  const charges = store === 'Redis' || beside === undefined ? 0 : Math.max(0, operations - beside.operations);
  return { ...measured, charges };
}

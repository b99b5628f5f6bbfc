import type { Facts } from './facts.js';
import type { MarkLine } from './mark.js';
import { renderFacts, renderRows, renderSection, round } from './markdown.js';
import { nameOf } from './measure.js';
import type { BenchOptions } from './options.js';
import type { Startup } from './startup.js';
import { cpuUs, findCell, type Cell } from './summary.js';
import type { TargetName } from './targets/targets.js';
import { TITLES } from './workloads.js';

type RunFacts = Facts & Pick<BenchOptions, 'rounds' | 'seconds' | 'pets'>;

export interface Report {
  facts: RunFacts;
  /** One for each comparison. */
  tables: readonly (readonly Cell[])[];
  /** Comparisons that could not be made, and why. */
  failures: readonly string[];
  mark: readonly MarkLine[];
  startup?: Startup;
}

const COLUMNS = [
  'contestant',
  'req/s',
  '× bare http',
  '× Parse Server',
  '× CPU',
  'p50 ms',
  'p99 ms',
  'server µs',
  'mongod µs',
  'redis µs',
  'mongod ops',
  'RSS MiB',
];

/** As markdown; bench/README.md says what each number means. */
export function renderReport({ facts, tables, failures, mark, startup }: Report): string {
  const lines = [
    ...renderFacts(`Benchmark of ${facts.startedAt}`, facts),
    ...(tables.length === 0 ? [] : renderMethod(facts)),
    ...tables.flatMap(renderTable),
    ...failures.map((failure) => `Failed: ${failure}\n`),
    ...renderMark(mark),
    ...(startup === undefined ? [] : renderStartup(startup)),
  ];
  return `${lines.join('\n')}\n`;
}

function renderMethod({ rounds, seconds, pets }: RunFacts): string[] {
  return [
    `Medians of ${rounds} rounds of ${seconds} s, the contestants of a table in turn, over ${pets} pets. Load, servers ` +
      'and stores share the processors: only ratios within a table mean anything, and differences of less than a ' +
      'fifth do not.',
    '',
  ];
}

function renderTable(cells: readonly Cell[]): string[] {
  const [first] = cells;
  if (first === undefined) return [];
  return renderSection(
    `${first.workload} × ${first.connections}: ${TITLES[first.workload]}`,
    COLUMNS,
    cells.map((cell) => columnsOf(cell, cells)),
  );
}

function columnsOf(cell: Cell, table: readonly Cell[]): string[] {
  const { medians, fault, workload, connections } = cell;
  if (fault !== undefined) return [nameOf(cell), `void: ${fault}`];
  const find = (target: TargetName) => findCell(table, workload, connections, { target, keys: 'none' });
  const baseline = find('bare-http');
  const times = (rival: Cell | undefined) =>
    rival && medians.requestsPerSecond / rival.medians.requestsPerSecond;
  return [
    nameOf(cell),
    round(medians.requestsPerSecond, 0),
    round(times(baseline), 2),
    round(times(find('parse-server')), 1),
    round(baseline && cpuUs(medians) / cpuUs(baseline.medians), 2),
    round(medians.p50Ms, 2),
    round(medians.p99Ms, 1),
    round(medians.serverCpuUs, 0),
    round(medians.mongodCpuUs, 0),
    round(medians.redisCpuUs, 0),
    round(medians.mongodOperations, 2),
    round(medians.residentMiB, 0),
  ];
}

function renderMark(mark: readonly MarkLine[]): string[] {
  if (mark.length === 0) return [];
  const outcomes = mark.flatMap(({ subjects }) => subjects.map(({ reached }) => reached));
  return renderSection(
    `The mark: ${outcomes.filter(Boolean).length} of ${outcomes.length} reached`,
    ['', 'mark', 'measured'],
    mark.map(({ what, bound, subjects }) => [what, bound, subjects.map(renderSubject).join(' · ')]),
  );
}

function renderSubject({ name, measured, reached }: MarkLine['subjects'][number]): string {
  return reached ? `${name} ${round(measured, 2)} reached` : `${name} **${round(measured, 2)} not reached**`;
}

function renderStartup({ firstStartSeconds, laterStartSeconds, idle, loaded }: Startup): string[] {
  return [
    ...renderSection(
      'Starting, and memory',
      ['', 'first start', 'later start'],
      [['`npm start` to ready, s', round(firstStartSeconds, 2), round(laterStartSeconds, 2)]],
    ),
    ...renderRows(
      ['resident, MiB', 'idle', 'after a load of 200 connections'],
      [
        ['gateway', round(idle.gatewayMiB, 0), round(loaded.gatewayMiB, 0)],
        ['its mongod', round(idle.mongodMiB, 0), round(loaded.mongodMiB, 0)],
      ],
    ),
  ];
}

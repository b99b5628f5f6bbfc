import type { MarkLine } from './mark.js';
import { nameOf } from './measure.js';
import { cpuUs, findCell, type Cell } from './summary.js';
import type { TargetName } from './targets/targets.js';
import { WORKLOADS } from './workloads.js';

/** What a run was made with. */
export interface RunFacts {
  /** ISO 8601. */
  startedAt: string;
  tookSeconds: number;
  commit: string;
  versions: Readonly<Record<string, string>>;
  processors: number;
  rounds: number;
  seconds: number;
  pets: number;
}

export interface Report {
  facts: RunFacts;
  /** One for each comparison. */
  tables: readonly (readonly Cell[])[];
  mark: readonly MarkLine[];
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

export function renderReport({ facts, tables, mark }: Report): string {
  return `${[...renderFacts(facts), ...tables.flatMap(renderTable), ...renderMark(mark)].join('\n')}\n`;
}

function renderFacts({ startedAt, tookSeconds, commit, versions, ...settings }: RunFacts): string[] {
  const { processors, rounds, seconds, pets } = settings;
  return [
    `# Benchmark of ${startedAt}`,
    '',
    `Commit ${commit}. ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
    '',
    `${processors} processors shared by load, server and stores; ${pets} pets; medians of ${rounds} rounds of ` +
      `${seconds} s, the contestants of a table in turn; ${Math.round(tookSeconds / 60)} min in all. ` +
      'Only ratios within a table mean anything, and differences of less than a fifth do not. µs and ops are per ' +
      'request; × CPU is the processor time of all servers and stores, as a multiple of bare http.',
    '',
  ];
}

function renderTable(cells: readonly Cell[]): string[] {
  const [first] = cells;
  if (first === undefined) return [];
  return [
    `## ${first.workload} × ${first.connections}: ${WORKLOADS[first.workload].title}`,
    '',
    renderRow(COLUMNS),
    `|---|${'--:|'.repeat(COLUMNS.length - 1)}`,
    ...cells.map((cell) => renderRow(columnsOf(cell, cells))),
    '',
  ];
}

function columnsOf(cell: Cell, table: readonly Cell[]): string[] {
  const { medians, fault, workload, connections } = cell;
  if (fault !== undefined) return [nameOf(cell), `void: ${fault}`];
  const find = (target: TargetName) => findCell(table, workload, connections, { target, keys: 'none' });
  const baseline = find('bare-http');
  const parseServer = find('parse-server');
  const times = (rival: Cell | undefined) =>
    rival && medians.requestsPerSecond / rival.medians.requestsPerSecond;
  return [
    nameOf(cell),
    round(medians.requestsPerSecond, 0),
    round(times(baseline), 2),
    round(times(parseServer), 1),
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
  const reached = mark.filter((line) => line.reached).length;
  return [
    `## The mark: ${reached} of ${mark.length} reached`,
    '',
    '| | measured | mark | |',
    '|---|--:|--:|---|',
    ...mark.map(({ what, measured, bound, reached: isReached }) =>
      renderRow([what, round(measured, 2), bound, isReached ? 'reached' : '**not reached**']),
    ),
    '',
  ];
}

function renderRow(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

function round(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

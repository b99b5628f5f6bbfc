import type { Facts } from '../facts.js';
import { renderFacts, renderRows, renderSection, round } from '../markdown.js';
import type { Filling } from './filled-database.js';
import { TITLES } from './operations.js';
import type { ScaleOptions } from './options.js';
import type { Size } from './sizes.js';
import { MAX_TIMES_P50, type Flatness, type ScaleCell } from './summary.js';

export interface ScaleReport {
  facts: Facts & Pick<ScaleOptions, 'rounds' | 'seconds' | 'connections' | 'cacheGb'>;
  sizes: readonly SizeFacts[];
  /** Of all the cache there is, when the measuring was over. */
  cacheUsedMiB: number;
  /** One for each operation. */
  tables: readonly (readonly ScaleCell[])[];
  /** Operations that could not be measured, and why. */
  failures: readonly string[];
  flatness: readonly Flatness[];
}

export interface SizeFacts extends Size, Filling {
  /** Of its gateway, when the measuring was over. */
  residentMiB: number;
}

const COLUMNS = [
  'pets, keys',
  'p50 ms',
  '× p50',
  'p99 ms',
  'operation µs',
  '× operation',
  'server µs',
  'mongod µs',
  '× CPU',
  'documents',
  'index keys',
];

/** As markdown; bench/README.md says what each number means. */
export function renderReport({
  facts,
  sizes,
  cacheUsedMiB,
  tables,
  failures,
  flatness,
}: ScaleReport): string {
  const lines = [
    ...renderFacts(`From few to many, ${facts.startedAt}`, facts),
    `Medians of ${facts.rounds} rounds of ${facts.seconds} s, the sizes in turn, ${facts.connections} at once. One ` +
      `mongod holds them all, with a cache of ${facts.cacheGb} GB, of which ${round(cacheUsedMiB, 0)} MiB were used ` +
      'in the end.',
    '',
    ...renderSizes(sizes),
    ...tables.flatMap(renderTable),
    ...failures.map((failure) => `Failed: ${failure}\n`),
    ...renderFlatness(flatness),
  ];
  return `${lines.join('\n')}\n`;
}

function renderSizes(sizes: readonly SizeFacts[]): string[] {
  return renderRows(
    ['pets, keys', 'filled with pets, s', 'with keys, s', 'data MiB', 'indexes MiB', 'RSS MiB'],
    sizes.map((size) => [
      nameOf(size),
      round(size.petsSeconds, 1),
      round(size.keysSeconds, 1),
      round(size.dataMiB, 0),
      round(size.indexesMiB, 0),
      round(size.residentMiB, 0),
    ]),
  );
}

function renderTable(cells: readonly ScaleCell[]): string[] {
  const [first] = cells;
  if (first === undefined) return [];
  return renderSection(
    `${first.operation}: ${TITLES[first.operation]}`,
    COLUMNS,
    cells.map(({ size, timesSmallest, examined, ...cell }) => [
      nameOf(size),
      round(cell.p50Ms, 2),
      round(timesSmallest.p50, 2),
      round(cell.p99Ms, 1),
      round(cell.operationUs, 0),
      round(timesSmallest.operation, 2),
      round(cell.serverCpuUs, 0),
      round(cell.mongodCpuUs, 0),
      round(timesSmallest.cpu, 2),
      round(examined.documents, 1),
      round(examined.indexKeys, 1),
    ]),
  );
}

function renderFlatness(flatness: readonly Flatness[]): string[] {
  const reached = flatness.filter((line) => line.reached).length;
  return renderSection(
    `The mark: ${reached} of ${flatness.length} reached`,
    ['', `p50, largest ÷ smallest ≤ ${MAX_TIMES_P50}`, 'MongoDB looks at as much'],
    flatness.map(({ operation, timesP50, reached: isReached, examinesAsMuch }) => [
      operation,
      `${round(timesP50, 2)} ${isReached ? 'reached' : '**not reached**'}`,
      examinesAsMuch ? 'yes' : '**no**',
    ]),
  );
}

function nameOf({ pets, keys }: Size): string {
  return `${pets.toLocaleString('en')}, ${keys.toLocaleString('en')}`;
}

import { BOUNDS, type Bound } from './bounds.js';
import type { Contestant } from './contestants.js';
import { nameOf } from './measure.js';
import type { Startup } from './startup.js';
import { findCell, type Cell, type Medians } from './summary.js';

/** How a bound was kept in a run. */
export interface MarkLine {
  what: string;
  bound: string;
  subjects: { name: string; measured: number; reached: boolean }[];
}

const METRICS: Readonly<Record<Bound['metric'], string>> = {
  requestsPerSecond: 'req/s',
  p50Ms: 'p50',
  p99Ms: 'p99',
  mongodOperations: 'MongoDB operations a request',
};

/** The mark, as far as these tables tell of it. */
export function judge(tables: readonly (readonly Cell[])[]): MarkLine[] {
  return BOUNDS.map((bound) => {
    const { workload, connections, metric, rival, subjects, limit } = bound;
    const against = rival === undefined ? '' : ` against ${nameOf(rival)}`;
    return {
      what: `${workload} × ${connections}: ${METRICS[metric]}${against}`,
      bound: 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`,
      subjects: subjects.flatMap((subject) => {
        const measured = measuredInFirst(tables, bound, subject);
        if (measured === undefined) return [];
        return [{ name: nameOf(subject), measured, reached: isWithin(measured, limit) }];
      }),
    };
  }).filter((line) => line.subjects.length > 0);
}

/** Two contestants are only comparable within one table. */
function measuredInFirst(
  tables: readonly (readonly Cell[])[],
  bound: Bound,
  subject: Contestant,
): number | undefined {
  for (const cells of tables) {
    const measured = measuredIn(cells, bound, subject);
    if (measured !== undefined) return measured;
  }
  return undefined;
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

const START_SECONDS = { atMost: 1 };
const RESIDENT_MIB = { atMost: 120 };

/** The mark of a start and of the memory at rest. */
export function judgeStartup({ firstStartSeconds, laterStartSeconds, idle }: Startup): MarkLine[] {
  const subject = (name: string, measured: number, limit: { atMost: number }) => ({
    name,
    measured,
    reached: isWithin(measured, limit),
  });
  return [
    {
      what: '`npm start` to ready, s',
      bound: `≤ ${START_SECONDS.atMost}`,
      subjects: [
        subject('first start', firstStartSeconds, START_SECONDS),
        subject('later start', laterStartSeconds, START_SECONDS),
      ],
    },
    {
      what: 'resident at rest, MiB',
      bound: `≤ ${RESIDENT_MIB.atMost}`,
      subjects: [subject('gateway', idle.gatewayMiB, RESIDENT_MIB)],
    },
  ];
}

import type { Contestant } from './contestants.js';
import type { Measured, Round } from './measure.js';
import type { WorkloadName } from './workloads.js';

/** A contestant's medians over its rounds, in the units of `Round`. */
export type Medians = Pick<
  Round,
  | 'requestsPerSecond'
  | 'p50Ms'
  | 'p99Ms'
  | 'serverCpuUs'
  | 'mongodCpuUs'
  | 'redisCpuUs'
  | 'mongodOperations'
  | 'residentMiB'
>;

export interface Cell extends Measured {
  medians: Medians;
}

export function summarise(measured: Measured): Cell {
  const median = (of: (round: Round) => number) => medianOf(measured.rounds.map(of));
  const redis = measured.rounds.flatMap(({ redisCpuUs }) => redisCpuUs ?? []);
  return {
    ...measured,
    medians: {
      requestsPerSecond: median((round) => round.requestsPerSecond),
      p50Ms: median((round) => round.p50Ms),
      p99Ms: median((round) => round.p99Ms),
      serverCpuUs: median((round) => round.serverCpuUs),
      mongodCpuUs: median((round) => round.mongodCpuUs),
      ...(redis.length > 0 && { redisCpuUs: medianOf(redis) }),
      mongodOperations: median((round) => round.mongodOperations),
      residentMiB: median((round) => round.residentMiB),
    },
  };
}

/** Of an even number of values the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? NaN) + (sorted[Math.floor(half)] ?? NaN)) / 2;
}

/** Processor time of all that a request kept busy, but for the client's, microseconds. */
export function cpuUs({ serverCpuUs, mongodCpuUs, redisCpuUs = 0 }: Medians): number {
  return serverCpuUs + mongodCpuUs + redisCpuUs;
}

/** The cell of a contestant, unless it was not measured or is void. */
export function findCell(
  cells: readonly Cell[],
  workload: WorkloadName,
  connections: number,
  { target, keys, asked }: Contestant,
): Cell | undefined {
  return cells.find(
    (cell) =>
      cell.fault === undefined &&
      cell.workload === workload &&
      cell.connections === connections &&
      cell.target === target &&
      cell.keys === keys &&
      cell.asked === asked,
  );
}

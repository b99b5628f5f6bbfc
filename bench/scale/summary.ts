import { medianOf } from '../summary.js';
import type { MeasuredSize, ScaleRound } from './measure.js';

/** One size's medians over its rounds. */
export interface ScaleCell extends MeasuredSize {
  p50Ms: number;
  p99Ms: number;
  operationUs: number;
  /** Processor time per request over all rounds, microseconds: what one round has is counted too coarsely. */
  serverCpuUs: number;
  mongodCpuUs: number;
  /** As multiples of the smallest size's: the median of the rounds' ratios, each of neighbours in time. */
  timesSmallest: { p50: number; operation: number; cpu: number };
}

/** How flat an operation is, from the smallest size to the largest. */
export interface Flatness {
  operation: MeasuredSize['operation'];
  timesP50: number;
  reached: boolean;
  /** Whether MongoDB looks at as much for a request at every size, which no noise can hide. */
  examinesAsMuch: boolean;
}

/** The mark. */
export const MAX_TIMES_P50 = 1.3;

/** @param measured one operation at all sizes, smallest first */
export function summarise(measured: readonly MeasuredSize[]): ScaleCell[] {
  const smallest = measured[0]?.rounds ?? [];
  return measured.map((each) => {
    const { rounds } = each;
    const requests = sum(rounds.map((round) => round.requests));
    const median = (of: (round: ScaleRound) => number) => medianOf(rounds.map(of));
    const perRequest = (of: (round: ScaleRound) => number) => sum(rounds.map(of)) / requests;
    const times = (of: (round: ScaleRound) => number) =>
      medianOf(smallest.map(of).map((base, i) => (rounds[i] === undefined ? NaN : of(rounds[i]) / base)));
    return {
      ...each,
      p50Ms: median((round) => round.p50Ms),
      p99Ms: median((round) => round.p99Ms),
      operationUs: median((round) => round.operationUs),
      serverCpuUs: perRequest((round) => round.serverCpuUs),
      mongodCpuUs: perRequest((round) => round.mongodCpuUs),
      timesSmallest: {
        p50: times((round) => round.p50Ms),
        operation: times((round) => round.operationUs),
        cpu: times((round) => (round.serverCpuUs + round.mongodCpuUs) / round.requests),
      },
    };
  });
}

/** @param cells one operation's, smallest size first */
export function flatnessOf(cells: readonly ScaleCell[]): Flatness[] {
  const [smallest, largest] = [cells[0], cells.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const { documents, indexKeys } = smallest.examined;
  return [
    {
      operation: largest.operation,
      timesP50: largest.timesSmallest.p50,
      reached: largest.timesSmallest.p50 <= MAX_TIMES_P50,
      examinesAsMuch: cells.every(
        ({ examined }) => examined.documents === documents && examined.indexKeys === indexKeys,
      ),
    },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Counted, Meter, WindowLimit } from '../plans/window.js';
import { QuotaStoreError } from './limiter.js';

/**
 * The counts of a meter's windows, in the order of the windows. `consumedPoints` is what is used, and can be above the
 * limit after a downgrade. `msBeforeNext` is the time until the window ends, by the clock of the store; 0 if the window
 * has not started.
 */
export type Counts = readonly RateLimiterRes[];

export interface StoreDecision {
  /** Units that all windows had left before the costs. `admittedOf` says which costs that admits. */
  free: number;
  /** The counts after the costs. */
  windows: Counts;
}

/**
 * Decides costs where the counts are stored, in one atomic step over all windows of a meter and by the clock of the
 * store. The store never counts a cost that it does not admit.
 * Every function throws QuotaStoreError if the store failed. Then it is unknown whether the store counted the costs.
 */
export interface QuotaStore {
  /**
   * Admits each of the costs that fits, in their order, and counts it in all windows. Starts windows that have ended.
   * @param known what this process knows: a store that can lose counts takes over those that it has lost
   */
  decide(meter: Meter, costs: readonly number[], known?: Counts): Promise<StoreDecision>;
  /**
   * Adds units that were admitted without the store, or subtracts units (below 0) that the store admitted and nobody
   * used. `units` and `leftMs`, the time until their window ends, are in the order of the windows.
   *
   * Units that are added count in the window that runs, otherwise in a new one that ends as theirs. Those of a window that
   * has just ended begin no other. Units are only subtracted in the window that ends with theirs, however late the store
   * is asked, and for the store object that counted them.
   * @param known as in `decide`
   * @param follows whether their window follows another one, which only the process counted: the window that runs here
   *   can be as old as that one, so it runs on until theirs ends. An aligned window always ends at its own time
   */
  add(
    meter: Meter,
    units: readonly number[],
    leftMs: readonly number[],
    known?: Counts,
    follows?: boolean,
  ): Promise<Counts>;
  /** The counts of each meter. */
  read(meters: readonly Meter[]): Promise<Counts[]>;
  /** Removes the counts of deleted keys. */
  remove(keys: readonly Counted[]): Promise<void>;
}

/**
 * The end of a window is known to the time that an answer takes. Two windows of one name end at least a minute apart.
 */
export const SAME_WINDOW_MS = 2000;

/** First come, first served: a cost that does not fit does not keep a later, smaller one out. */
export function admittedOf(costs: readonly number[], free: number): { admitted: boolean[]; units: number } {
  let units = 0;
  const admitted = costs.map((cost) => {
    const fits = units + cost <= free;
    if (fits) units += cost;
    return fits;
  });
  return { admitted, units };
}

/** @param keptMs how long a window that has ended still counts, milliseconds */
export function countOf(
  { limit }: Pick<WindowLimit, 'limit'>,
  used: number,
  leftMs: number,
  keptMs = 0,
): RateLimiterRes {
  return leftMs > -keptMs
    ? new RateLimiterRes(Math.max(0, limit - used), leftMs, used, false)
    : new RateLimiterRes(limit, 0, 0, true);
}

/** What JavaScript throws itself: a mistake in the code, of which no store is to blame. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

/** @throws QuotaStoreError for whatever a driver throws; drivers have many classes of errors, without a common one */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (MISTAKES.some((mistake) => error instanceof mistake)) throw error;
    throw error instanceof QuotaStoreError ? error : new QuotaStoreError(error);
  }
}

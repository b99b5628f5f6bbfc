import type { Meter, WindowName, WindowState } from '../plans/window.js';

/** A denial is a result; only a store that failed is an error. */
export type Decision =
  | { admitted: true; windows: readonly WindowState[] }
  | {
      admitted: false;
      windows: readonly WindowState[];
      refusedBy: readonly WindowName[];
      retryAfterMs: number;
    };

export type RejectedDecision = Decision & { admitted: false };

/**
 * Admits costs against the windows of a meter. Every implementation passes test/contract/limiter:
 * - all windows are charged the whole cost, or none is;
 * - never more than its limit is admitted in a window, however many processes share the store;
 * - alone on the store, it refuses a cost exactly when a window has less than that left;
 * - a refusal costs nothing, no counter is ever below zero, and `remaining` never overstates.
 *
 * @throws QuotaStoreError when the store failed; then nothing is charged, unless the store counted it and does not answer any more
 */
export interface Limiter {
  charge(meter: Meter, cost: number): Promise<Decision>;
  /** A refusal that is already certain for this cost, from memory: undefined means that the store must be asked. */
  remembered(meter: Meter, cost: number): RejectedDecision | undefined;
  /**
   * The refusal that a charge of this cost would meet now, undefined where it would be admitted; consumes nothing. It is
   * remembered as that of a charge is.
   */
  foresee(meter: Meter, cost: number): Promise<RejectedDecision | undefined>;
  /** The windows as they stand; consumes nothing. */
  peek(meter: Meter): Promise<readonly WindowState[]>;
  /** peek for many meters, in their order. Those with leased units return them first; one read of the store is for all others. */
  peekMany(meters: readonly Meter[]): Promise<(readonly WindowState[])[]>;
}

export interface Charge {
  admitted: boolean;
  windows: readonly WindowState[];
}

/** What a limiter of the library has as its store. Both throw QuotaStoreError if the store failed. */
export interface QuotaSource {
  /** Adds the cost to all windows if it fits into all of them, otherwise to none. */
  charge(meter: Meter, cost: number): Promise<Charge>;
  /** @param cost if given, the windows only have to be right about whether it fits */
  read(meter: Meter, cost?: number): Promise<readonly WindowState[]>;
}

export class QuotaStoreError extends Error {
  constructor(cause: unknown) {
    super('the quota store did not answer', { cause });
    this.name = 'QuotaStoreError';
  }
}

import type { Batch } from './write-buffer.js';
import type { PeriodTraffic, TrafficPeriod } from './traffic.js';

/** What one process counted since its previous batch. */
export interface TrafficBatch extends Batch {
  /** Different minutes, in no particular order. */
  minutes: readonly PeriodTraffic[];
}

/** Stores the traffic of the whole gateway by minute, hour and day, each for a limited time. */
export interface TrafficStore {
  /** Adds the minutes that are not added yet to all periods. A batch that failed at any point can be passed again. */
  add(batch: TrafficBatch): Promise<void>;
  /** The traffic of the periods that start then, in no particular order; periods without traffic are missing. */
  periods(period: TrafficPeriod, startsMs: readonly number[]): Promise<PeriodTraffic[]>;
}

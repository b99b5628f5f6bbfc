import { createBatchWriter, type BatchWriter } from '../../lib/batch-writer.js';
import { countStatus, groupOf, startOf, type PeriodTraffic, type TrafficGroup } from './traffic.js';
import type { TrafficBatch, TrafficStore } from './traffic-store.js';

/** How often counts are written, all of them at once. A killed process loses the counts of at most this time. */
export const TRAFFIC_INTERVAL_MS = 5000;
/** How many minutes of counts wait while the store is unavailable: two days. The counts of later minutes are dropped. */
const MAX_MINUTES = 2880;

export interface CountedTraffic extends Pick<TrafficGroup, 'interface' | 'source'> {
  status: number;
}

export interface TrafficCounters extends BatchWriter {
  /** Counts a finished request. Costs two look-ups. */
  count(request: CountedTraffic, atMs: number): void;
  /** Counts a ban when it starts. */
  countBan(atMs: number): void;
}

export interface TrafficCountersParts {
  store: Pick<TrafficStore, 'add'>;
  /** Identifies this process among all processes that ever wrote. */
  writer: string;
  intervalMs: number;
  onError: (error: unknown) => void;
}

/** Collects the traffic of this process in memory, so that no request waits for a write. */
export function createTrafficCounters(parts: TrafficCountersParts): TrafficCounters {
  const { store, writer, intervalMs, onError } = parts;
  /** By the start of the minute. */
  let pending = new Map<number, PeriodTraffic>();
  /** A batch that the store may have added in part. Passed again unchanged, it is added only once. */
  let unwritten: TrafficBatch | undefined;
  let batchesTaken = 0;

  function minuteOf(atMs: number): PeriodTraffic | undefined {
    const startMs = startOf('minute', atMs);
    let minute = pending.get(startMs);
    if (minute === undefined && pending.size < MAX_MINUTES)
      pending.set(startMs, (minute = { startMs, groups: [], bans: 0 }));
    return minute;
  }

  function takeBatch(): TrafficBatch | undefined {
    if (pending.size === 0) return undefined;
    const minutes = [...pending.values()];
    pending = new Map();
    return { writer, number: ++batchesTaken, minutes };
  }

  async function write(): Promise<void> {
    if (unwritten !== undefined) await store.add(unwritten);
    unwritten = takeBatch();
    if (unwritten !== undefined) await store.add(unwritten);
    unwritten = undefined;
  }

  return {
    ...createBatchWriter(write, intervalMs, onError),
    count(request, atMs) {
      const minute = minuteOf(atMs);
      if (minute !== undefined) countStatus(groupOf(minute, request), request.status);
    },
    countBan(atMs) {
      const minute = minuteOf(atMs);
      if (minute !== undefined) minute.bans += 1;
    },
  };
}

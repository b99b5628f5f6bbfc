import type { Clock } from '../../lib/clock.js';
import {
  addCounts,
  addTraffic,
  NO_TRAFFIC,
  PERIOD_MS,
  startOf,
  type PeriodTraffic,
  type TrafficCounts,
  type TrafficGroup,
  type TrafficPeriod,
} from './traffic.js';
import type { TrafficStore } from './traffic-store.js';

export interface TrafficSum extends TrafficCounts {
  bans: number;
  /** Most requests first. */
  groups: TrafficGroup[];
}

export interface TrafficOfPeriod extends TrafficSum {
  start: Date;
}

export interface Traffic extends TrafficSum {
  /** Requests up to this time are included, if their gateways could reach the database. */
  asOf: Date;
  /** One entry per period, in order; the last one is the current period. */
  periods: TrafficOfPeriod[];
}

export interface TrafficService {
  /** The traffic of the last `count` periods of all gateways, including the current period. */
  last(period: TrafficPeriod, count: number): Promise<Traffic>;
}

/** @param writtenAfterMs how long counts stay in memory before they are written */
export function createTrafficService(
  store: Pick<TrafficStore, 'periods'>,
  writtenAfterMs: number,
  clock: Clock,
): TrafficService {
  return {
    async last(period, count) {
      const nowMs = clock();
      const lastMs = startOf(period, nowMs);
      const startsMs = Array.from({ length: count }, (_, i) => lastMs - (count - 1 - i) * PERIOD_MS[period]);
      const found = new Map<number, PeriodTraffic>();
      for (const traffic of await store.periods(period, startsMs)) found.set(traffic.startMs, traffic);
      const whole: PeriodTraffic = { startMs: lastMs, groups: [], bans: 0 };
      for (const traffic of found.values()) addTraffic(whole, traffic);
      return {
        asOf: new Date(nowMs - writtenAfterMs),
        periods: startsMs.map((startMs) => ({
          start: new Date(startMs),
          ...summed(found.get(startMs) ?? { startMs, groups: [], bans: 0 }),
        })),
        ...summed(whole),
      };
    },
  };
}

function summed({ groups, bans }: PeriodTraffic): TrafficSum {
  const counts = { ...NO_TRAFFIC };
  for (const group of groups) addCounts(counts, group);
  return { ...counts, bans, groups: groups.sort(byRequests) };
}

/** Orders ties by name, so that repeated responses are identical. */
function byRequests(a: TrafficGroup, b: TrafficGroup): number {
  return (
    b.requests - a.requests || a.interface.localeCompare(b.interface) || a.source.localeCompare(b.source)
  );
}

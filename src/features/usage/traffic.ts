import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/clock.js';
import { PLAN_IDS } from '../plans/plans.js';
import { REFUSED, type ApiInterface } from './usage.js';

/** Who sent requests: keys of a plan, admin keys, or clients without a valid key. */
export const TRAFFIC_SOURCES = [...PLAN_IDS, 'admin', 'unauthenticated'] as const;
export type TrafficSource = (typeof TRAFFIC_SOURCES)[number];

/** The lengths of the periods that traffic is counted in, milliseconds. Periods start at multiples of them, in UTC. */
export const PERIOD_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
export type TrafficPeriod = keyof typeof PERIOD_MS;

export interface TrafficCounts {
  requests: number;
  /** Answered with 4xx except 429, or left by the client before the response. */
  clientErrors: number;
  /** Answered with 429. */
  refused: number;
  /** Answered with 5xx. */
  serverErrors: number;
}

/** Requests over one interface from one source. */
export interface TrafficGroup extends TrafficCounts {
  interface: ApiInterface;
  source: TrafficSource;
}

/** The traffic of one period. The number of groups is bounded: one for each interface and source. */
export interface PeriodTraffic {
  startMs: number;
  groups: TrafficGroup[];
  /** Number of bans that started. */
  bans: number;
}

export const NO_TRAFFIC: TrafficCounts = { requests: 0, clientErrors: 0, refused: 0, serverErrors: 0 };

/** Counts one request. */
export function countStatus(counts: TrafficCounts, status: number): void {
  counts.requests += 1;
  if (status === REFUSED) counts.refused += 1;
  else if (status >= 500) counts.serverErrors += 1;
  else if (status >= 400) counts.clientErrors += 1;
}

export function addCounts(sum: TrafficCounts, more: TrafficCounts): void {
  sum.requests += more.requests;
  sum.clientErrors += more.clientErrors;
  sum.refused += more.refused;
  sum.serverErrors += more.serverErrors;
}

/** Returns the group of these requests, and adds it if it is missing. */
export function groupOf(
  { groups }: PeriodTraffic,
  { interface: apiInterface, source }: Pick<TrafficGroup, 'interface' | 'source'>,
): TrafficGroup {
  let group = groups.find((one) => one.interface === apiInterface && one.source === source);
  if (group === undefined) groups.push((group = { interface: apiInterface, source, ...NO_TRAFFIC }));
  return group;
}

/** Adds traffic to the period that it belongs to. */
export function addTraffic(sum: PeriodTraffic, more: PeriodTraffic): void {
  sum.bans += more.bans;
  for (const group of more.groups) addCounts(groupOf(sum, group), group);
}

/** Returns the start of the period that contains a time. */
export function startOf(period: TrafficPeriod, atMs: number): number {
  return Math.floor(atMs / PERIOD_MS[period]) * PERIOD_MS[period];
}

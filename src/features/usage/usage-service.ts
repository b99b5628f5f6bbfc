import type { Clock } from '../../lib/clock.js';
import { PLANS, type PlanId } from '../plans/plans.js';
import { sumOf } from './groups.js';
import { MAX_REFUSALS, REFUSED, type KeyRefusal, type UsageGroup, type UsageOf } from './usage.js';
import { usageRange, type UsageRange } from './usage-range.js';
import type { DayOver, DaySpan, RecordedDay, UsageStore } from './usage-store.js';

export interface UsageTotals {
  requests: number;
  cost: number;
  /** Requests answered with 429. */
  refused: number;
}

export interface UsageDay extends UsageTotals {
  date: string;
  /** By ascending status. */
  byStatus: { status: number; requests: number }[];
}

export interface Usage extends UsageTotals {
  range: UsageRange;
  /** Requests up to this time are included, if their gateways could reach the database. */
  asOf: Date;
  /** One entry per day of the range. */
  days: UsageDay[];
  /** Most requests first. */
  groups: UsageGroup[];
  bans: number;
}

export interface UnderPlan {
  plan: PlanId;
  daysOver: DayOver[];
  over: number;
}

export interface UsageService {
  /** @throws ApiError invalid_request */
  range(from: Date | undefined, to: Date | undefined): UsageRange;
  /** The usage of keys and projects, in the order of the ids. */
  of(ids: readonly string[], range: UsageRange): Promise<Usage[]>;
  /** Returns how much of the admitted usage the day limit of another plan would have rejected. */
  underPlan(of: UsageOf, id: string, range: UsageRange, plan: PlanId): Promise<UnderPlan>;
  /** The latest rejections of a key, or of all keys of a project, newest first. */
  refusals(id: string, first: number): Promise<KeyRefusal[]>;
}

/** @param writtenAfterMs how long counts stay in memory before they are written */
export function createUsageService(store: UsageStore, writtenAfterMs: number, clock: Clock): UsageService {
  return {
    range: (from, to) => usageRange(from, to, clock()),
    async of(ids, range) {
      const asOf = new Date(clock() - writtenAfterMs);
      const recorded = new Map<string, RecordedDay[]>();
      for (const day of await store.days(ids, spanOf(range))) {
        const ofId = recorded.get(day.id);
        if (ofId === undefined) recorded.set(day.id, [day]);
        else ofId.push(day);
      }
      return ids.map((id) => ({ range, asOf, ...summed(recorded.get(id) ?? [], range) }));
    },
    async underPlan(of, id, range, plan) {
      const { quota } = PLANS[plan];
      const daysOver =
        quota === 'custom' ? [] : await store.daysOver(of, id, spanOf(range), quota.requestsPerDay);
      return { plan, daysOver, over: sum(daysOver, ({ over }) => over) };
    },
    refusals: (id, first) => store.refusals(id, Math.min(first, MAX_REFUSALS)),
  };
}

function spanOf({ days }: UsageRange): DaySpan {
  return { first: days[0] ?? '', last: days.at(-1) ?? '' };
}

function summed(recorded: readonly RecordedDay[], { days }: UsageRange): Omit<Usage, 'range' | 'asOf'> {
  const groupsOf = new Map(recorded.map(({ day, groups }) => [day, groups]));
  const groups = sumOf(groupsOf.values());
  return {
    ...totalsOf(groups),
    bans: sum(recorded, ({ bans }) => bans),
    days: days.map((date) => dayOf(date, groupsOf.get(date) ?? [])),
    groups: groups.sort(byRequests),
  };
}

function dayOf(date: string, groups: readonly UsageGroup[]): UsageDay {
  const requestsOf = new Map<number, number>();
  for (const { status, requests } of groups) requestsOf.set(status, (requestsOf.get(status) ?? 0) + requests);
  const byStatus = Array.from(requestsOf, ([status, requests]) => ({ status, requests })).sort(
    (a, b) => a.status - b.status,
  );
  return { date, ...totalsOf(groups), byStatus };
}

function totalsOf(groups: readonly UsageGroup[]): UsageTotals {
  return {
    requests: sum(groups, ({ requests }) => requests),
    cost: sum(groups, ({ cost }) => cost),
    refused: sum(groups, ({ status, requests }) => (status === REFUSED ? requests : 0)),
  };
}

/** Orders ties by name, so that repeated responses are identical. */
function byRequests(a: UsageGroup, b: UsageGroup): number {
  return (
    b.requests - a.requests ||
    a.interface.localeCompare(b.interface) ||
    a.operation.localeCompare(b.operation) ||
    a.status - b.status
  );
}

function sum<T>(all: readonly T[], amountOf: (one: T) => number): number {
  return all.reduce((total, one) => total + amountOf(one), 0);
}

import type { Clock } from '../../lib/clock.js';
import { PLANS, type PlanId } from '../plans/plans.js';
import { sumOf } from './groups.js';
import { MAX_REFUSALS, REFUSED, type KeyRefusal, type UsageGroup, type UsageOf } from './usage.js';
import { usageRange, type UsageRange } from './usage-range.js';
import type { DayOver, DaySpan, ReadSignal, RecordedDay, UsageStore } from './usage-store.js';

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

/** The usage over all days of a range. */
export interface UsageSum extends UsageTotals {
  range: UsageRange;
  /** Requests up to this time are included, if their gateways could reach the database. */
  asOf: Date;
  /** Most requests first. */
  groups: UsageGroup[];
  bans: number;
}

export interface Usage extends UsageSum {
  /** One entry per day of the range. */
  days: UsageDay[];
}

export interface UnderPlan {
  plan: PlanId;
  daysOver: DayOver[];
  over: number;
}

export interface UsageService {
  /** @throws ApiError invalid_request */
  range(from: Date | undefined, to: Date | undefined): UsageRange;
  /** The usage of keys and projects, in the order of the ids. Pass each id once. */
  of(ids: readonly string[], range: UsageRange, signal?: ReadSignal): Promise<Usage[]>;
  /** Like `of`, without the days. The database adds them up, so the process reads a few rows for each id. */
  sumOf(ids: readonly string[], range: UsageRange, signal?: ReadSignal): Promise<UsageSum[]>;
  /**
   * Returns how much of the admitted usage the day limits of other plans would have rejected: for each id, in their
   * order, one result for each plan, in their order. One read, however many ids and plans.
   */
  underPlans(
    of: UsageOf,
    ids: readonly string[],
    range: UsageRange,
    plans: readonly PlanId[],
    signal?: ReadSignal,
  ): Promise<UnderPlan[][]>;
  /** The latest rejections of keys, or of all keys of projects, newest first, in the order of the ids. */
  refusals(ids: readonly string[], first: number, signal?: ReadSignal): Promise<KeyRefusal[][]>;
}

/** @param writtenAfterMs how long counts stay in memory before they are written */
export function createUsageService(store: UsageStore, writtenAfterMs: number, clock: Clock): UsageService {
  return {
    range: (from, to) => usageRange(from, to, clock()),
    async of(ids, range, signal) {
      const asOf = new Date(clock() - writtenAfterMs);
      const recorded = new Map<string, RecordedDay[]>();
      for (const day of await store.days(ids, spanOf(range), signal)) {
        const ofId = recorded.get(day.id);
        if (ofId === undefined) recorded.set(day.id, [day]);
        else ofId.push(day);
      }
      return ids.map((id) => ({ range, asOf, ...summed(recorded.get(id) ?? [], range) }));
    },
    async sumOf(ids, range, signal) {
      const asOf = new Date(clock() - writtenAfterMs);
      const recorded = new Map((await store.sums(ids, spanOf(range), signal)).map((sum) => [sum.id, sum]));
      return ids.map((id) => {
        const { groups = [], bans = 0 } = recorded.get(id) ?? {};
        return { range, asOf, ...totalsOf(groups), bans, groups: groups.sort(byRequests) };
      });
    },
    async underPlans(of, ids, range, plans, signal) {
      const limits = plans
        .map((plan) => PLANS[plan].quota)
        .map((quota) => (quota === 'custom' ? Infinity : quota.requestsPerDay));
      const bounded = [...new Set(limits)].filter((limit) => limit !== Infinity);
      const recorded =
        bounded.length === 0 ? [] : await store.daysOver(of, ids, spanOf(range), bounded, signal);
      const byId = new Map(recorded.map(({ id, daysOver }) => [id, daysOver]));
      return ids.map((id) =>
        plans.map((plan, i) => {
          // No day exceeds a limit that is agreed individually.
          const daysOver = byId.get(id)?.[bounded.indexOf(limits[i] ?? Infinity)] ?? [];
          return { plan, daysOver, over: sum(daysOver, ({ over }) => over) };
        }),
      );
    },
    async refusals(ids, first, signal) {
      const found = await store.refusals(ids, Math.min(first, MAX_REFUSALS), signal);
      return ids.map((id) => found.get(id) ?? []);
    },
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

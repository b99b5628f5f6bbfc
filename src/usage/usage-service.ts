import type { Clock } from '../lib/clock.js';
import { PLANS, type PlanId } from '../quotas/plans.js';
import { MAX_REFUSALS, REFUSED, type Refusal, type UsageGroup, type UsageOf } from './usage.js';
import { usageRange, type UsageRange } from './usage-range.js';
import type { DayGroup, DayOver, DaySpan, UsageStore } from './usage-store.js';

export interface UsageTotals {
  requests: number;
  cost: number;
  /** Answered 429. */
  refused: number;
}

export interface UsageDay extends UsageTotals {
  date: string;
  /** By status ascending. */
  byStatus: { status: number; requests: number }[];
}

export interface Usage extends UsageTotals {
  range: UsageRange;
  /** All requests until then are in, if their gateways reached the database. */
  asOf: Date;
  /** Each day of the range. */
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
  /** Of keys or of projects, in their order. */
  of(kind: UsageOf, ids: readonly string[], range: UsageRange): Promise<Usage[]>;
  /** What the day limit of another plan would have refused of what was admitted. */
  underPlan(kind: UsageOf, id: string, range: UsageRange, plan: PlanId): Promise<UnderPlan>;
  /** The latest of a key, newest first. */
  refusals(keyId: string, first: number): Promise<Refusal[]>;
}

/** @param writtenAfterMs how long counts are gathered before they are written */
export function createUsageService(store: UsageStore, writtenAfterMs: number, clock: Clock): UsageService {
  return {
    range: (from, to) => usageRange(from, to, clock()),
    async of(kind, ids, range) {
      const asOf = new Date(clock() - writtenAfterMs);
      const span = spanOf(range);
      const [rows, bans] = await Promise.all([store.groups(kind, ids, span), store.bans(kind, ids, span)]);
      const rowsById = gather(rows, ({ id }) => id);
      return ids.map((id) => ({
        range,
        asOf,
        ...summed(rowsById.get(id) ?? [], range),
        bans: bans.get(id) ?? 0,
      }));
    },
    async underPlan(kind, id, range, plan) {
      const { requestsPerDay } = PLANS[plan];
      const daysOver =
        requestsPerDay === undefined ? [] : await store.daysOver(kind, id, spanOf(range), requestsPerDay);
      return { plan, daysOver, over: sum(daysOver, ({ over }) => over) };
    },
    refusals: (keyId, first) => store.refusals(keyId, Math.min(first, MAX_REFUSALS)),
  };
}

function spanOf({ days }: UsageRange): DaySpan {
  return { first: days[0] ?? '', last: days.at(-1) ?? '' };
}

function summed(rows: readonly DayGroup[], { days }: UsageRange) {
  const rowsByDay = gather(rows, ({ day }) => day);
  const rowsByGroup = gather(rows, ({ door, operation, status }) => `${door} ${operation} ${status}`);
  return {
    ...totalsOf(rows),
    days: days.map((date) => dayOf(date, rowsByDay.get(date) ?? [])),
    groups: Array.from(rowsByGroup.values(), groupOf).sort(byRequests),
  };
}

function dayOf(date: string, rows: readonly DayGroup[]): UsageDay {
  const byStatus = Array.from(
    gather(rows, ({ status }) => status),
    ([status, same]) => ({
      status,
      requests: sum(same, ({ requests }) => requests),
    }),
  ).sort((a, b) => a.status - b.status);
  return { date, ...totalsOf(rows), byStatus };
}

function groupOf(rows: readonly DayGroup[]): UsageGroup {
  const [first] = rows;
  if (first === undefined) throw new Error('a group has rows');
  const { door, operation, status } = first;
  return {
    door,
    operation,
    status,
    requests: sum(rows, ({ requests }) => requests),
    cost: sum(rows, ({ cost }) => cost),
  };
}

function totalsOf(rows: readonly DayGroup[]): UsageTotals {
  return {
    requests: sum(rows, ({ requests }) => requests),
    cost: sum(rows, ({ cost }) => cost),
    refused: sum(rows, ({ status, requests }) => (status === REFUSED ? requests : 0)),
  };
}

/** On a tie by name, so that two answers are alike. */
function byRequests(a: UsageGroup, b: UsageGroup): number {
  return (
    b.requests - a.requests ||
    a.door.localeCompare(b.door) ||
    a.operation.localeCompare(b.operation) ||
    a.status - b.status
  );
}

function gather<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const gathered = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const same = gathered.get(key);
    if (same === undefined) gathered.set(key, [one]);
    else same.push(one);
  }
  return gathered;
}

function sum<T>(all: readonly T[], amountOf: (one: T) => number): number {
  return all.reduce((total, one) => total + amountOf(one), 0);
}

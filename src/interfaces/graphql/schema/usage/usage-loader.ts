import DataLoader from 'dataloader';
import type { PlanId } from '../../../../features/plans/plans.js';
import type { KeyRefusal, UsageOf } from '../../../../features/usage/usage.js';
import type { UsageRange } from '../../../../features/usage/usage-range.js';
import type { UnderPlan, Usage, UsageService, UsageSum } from '../../../../features/usage/usage-service.js';
import type { HeavyRead } from '../../heavy-reads.js';

export interface AskedUsage {
  /** Id of a key or of a project. */
  id: string;
  range: UsageRange;
  /** Whether the days are needed, or only their sums. */
  withDays: boolean;
}

export interface AskedUnderPlan {
  of: UsageOf;
  id: string;
  range: UsageRange;
  plan: PlanId;
}

export interface AskedRefusals {
  /** Id of a key or of a project. */
  id: string;
  first: number;
}

export interface UsageLoaders {
  usage: DataLoader<AskedUsage, UsageSum & Partial<Usage>, string>;
  underPlan: DataLoader<AskedUnderPlan, UnderPlan, string>;
  refusals: DataLoader<AskedRefusals, KeyRefusal[], string>;
}

/** The documents that one command may read, so that no answer of the database holds up the process for long. */
const DOCUMENTS_AT_ONCE = 1000;
const REFUSALS_AT_ONCE = 20;

type Usages = Pick<UsageService, 'of' | 'sumOf' | 'underPlans' | 'refusals'>;

/** Creates loaders that read each id once for each range, and a bounded number of documents at a time. */
export function createUsageLoaders(usages: Usages, read: HeavyRead): UsageLoaders {
  return {
    usage: new DataLoader(
      (asked) =>
        inGroups(
          asked,
          ({ range }) => spanOf(range),
          async (group) => {
            const [{ range }] = group;
            const ids = new Set(group.map(({ id }) => id));
            const withDays = new Set(group.flatMap(({ id, withDays }) => (withDays ? [id] : [])));
            const found = new Map<string, UsageSum>();
            const readParts = async (
              some: readonly string[],
              of: (part: readonly string[], signal: AbortSignal) => Promise<UsageSum[]>,
            ) => {
              for (const part of partsOf(some, DOCUMENTS_AT_ONCE / range.days.length))
                for (const [i, usage] of (await read((signal) => of(part, signal))).entries())
                  found.set(part[i] ?? '', usage);
            };
            await readParts([...withDays], (part, signal) => usages.of(part, range, signal));
            const summed = [...ids].filter((id) => !withDays.has(id));
            await readParts(summed, (part, signal) => usages.sumOf(part, range, signal));
            return ({ id }) => found.get(id);
          },
        ),
      { cacheKeyFn: ({ id, range, withDays }) => `${id} ${spanOf(range)} ${withDays}` },
    ),
    underPlan: new DataLoader(
      (asked) =>
        inGroups(
          asked,
          ({ of, range }) => `${of} ${spanOf(range)}`,
          async (group) => {
            const [{ of, range }] = group;
            const plans = [...new Set(group.map(({ plan }) => plan))];
            const found = new Map<string, UnderPlan>();
            for (const ids of partsOf(
              [...new Set(group.map(({ id }) => id))],
              DOCUMENTS_AT_ONCE / range.days.length,
            )) {
              const results = await read((signal) => usages.underPlans(of, ids, range, plans, signal));
              for (const [i, ofId] of results.entries())
                for (const result of ofId) found.set(`${ids[i] ?? ''} ${result.plan}`, result);
            }
            return ({ id, plan }) => found.get(`${id} ${plan}`);
          },
        ),
      { cacheKeyFn: ({ of, id, range, plan }) => `${of} ${id} ${spanOf(range)} ${plan}` },
    ),
    refusals: new DataLoader(
      (asked) =>
        inGroups(
          asked,
          () => '',
          async (group) => {
            const first = Math.max(...group.map((one) => one.first));
            const found = new Map<string, KeyRefusal[]>();
            for (const ids of partsOf([...new Set(group.map(({ id }) => id))], REFUSALS_AT_ONCE)) {
              const results = await read((signal) => usages.refusals(ids, first, signal));
              for (const [i, id] of ids.entries()) found.set(id, results[i] ?? []);
            }
            return (one) => found.get(one.id)?.slice(0, one.first);
          },
        ),
      { cacheKeyFn: ({ id, first }) => `${id} ${first}` },
    ),
  };
}

type Group<Asked> = readonly [Asked, ...Asked[]];

/**
 * Reads each group of equal names by itself, and returns the results in the order of `asked`. A failed group fails
 * alone.
 * @param readGroup returns how to find the result of one of the group
 */
async function inGroups<Asked, Result>(
  asked: readonly Asked[],
  nameOf: (one: Asked) => string,
  readGroup: (group: Group<Asked>) => Promise<(one: Asked) => Result | undefined>,
): Promise<(Result | Error)[]> {
  const groups = new Map<string, [Asked, ...Asked[]]>();
  for (const one of asked) {
    const group = groups.get(nameOf(one));
    if (group === undefined) groups.set(nameOf(one), [one]);
    else group.push(one);
  }
  const results = new Map<Asked, Result | Error>();
  await Promise.all(
    Array.from(groups.values(), async (group) => {
      try {
        const find = await readGroup(group);
        for (const one of group) results.set(one, find(one) ?? new Error('each has its result'));
      } catch (error) {
        const failure = error instanceof Error ? error : new Error('a read failed', { cause: error });
        for (const one of group) results.set(one, failure);
      }
    }),
  );
  return asked.map((one) => results.get(one) ?? new Error('each has its result'));
}

/** @param size rounded down, at least 1 */
function partsOf<T>(all: readonly T[], size: number): T[][] {
  const length = Math.max(1, Math.floor(size));
  return Array.from({ length: Math.ceil(all.length / length) }, (_, i) =>
    all.slice(i * length, (i + 1) * length),
  );
}

function spanOf({ days }: UsageRange): string {
  return `${days[0]} ${days.length}`;
}

import { createHeavyReads } from '../../../../src/interfaces/graphql/heavy-reads.js';
import { createUsageLoaders } from '../../../../src/interfaces/graphql/schema/usage/usage-loader.js';
import { createUsageService } from '../../../../src/features/usage/usage-service.js';
import type { UsageStore } from '../../../../src/features/usage/usage-store.js';
import { until } from '../../../support/until.js';

const NOW = Date.parse('2029-06-15T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** A store that notes the ids of each read, and has nothing. */
function emptyStore() {
  const reads: { of: string; ids: readonly string[] }[] = [];
  const note = (of: string) => (ids: readonly string[]) => {
    reads.push({ of, ids });
    return Promise.resolve([]);
  };
  const store = {
    days: note('days'),
    sums: note('sums'),
    daysOver: (_of: string, ids: readonly string[]) => note('daysOver')(ids),
    refusals: (ids: readonly string[]) => note('refusals')(ids).then(() => new Map()),
  } as unknown as UsageStore;
  return { reads, usage: createUsageService(store, 0, () => NOW) };
}

function loadersOf({ usage }: ReturnType<typeof emptyStore>) {
  return createUsageLoaders(usage, createHeavyReads().of('one', new AbortController().signal));
}

const lastDays = ({ usage }: ReturnType<typeof emptyStore>, count: number) =>
  usage.range(new Date(NOW - (count - 1) * DAY_MS), undefined);

test('loads of the same usage read it once, however many they are', async () => {
  const store = emptyStore();
  const { usage } = loadersOf(store);
  const asked = Array.from({ length: 8000 }, (_, i) => ({
    id: `key_${Math.floor(i / 4) % 2}`,
    range: lastDays(store, 1 + (i % 4)),
    withDays: false,
  }));
  const loaded = await usage.loadMany(asked);
  expect(loaded).toHaveLength(8000);
  expect(store.reads.map(({ ids }) => ids)).toEqual(Array.from({ length: 4 }, () => ['key_0', 'key_1']));
});

test('sums are read where nobody asks for days, and days serve both', async () => {
  const store = emptyStore();
  const { usage } = loadersOf(store);
  const range = lastDays(store, 3);
  const [both, sum] = await Promise.all([
    usage.load({ id: 'a', range, withDays: true }),
    usage.load({ id: 'b', range, withDays: false }),
    usage.load({ id: 'a', range, withDays: false }),
  ]);
  expect(store.reads).toEqual([
    { of: 'days', ids: ['a'] },
    { of: 'sums', ids: ['b'] },
  ]);
  expect(both.days).toHaveLength(3);
  expect(sum).toEqual({ range, asOf: new Date(NOW), requests: 0, cost: 0, refused: 0, bans: 0, groups: [] });
});

test('one command reads a bounded number of days', async () => {
  const store = emptyStore();
  const { usage } = loadersOf(store);
  const range = lastDays(store, 400);
  await usage.loadMany(Array.from({ length: 5 }, (_, i) => ({ id: `key_${i}`, range, withDays: true })));
  expect(store.reads.map(({ ids }) => ids.length)).toEqual([2, 2, 1]);
});

test('comparisons of plans and rejections of many keys are read together', async () => {
  const store = emptyStore();
  const { underPlan, refusals } = loadersOf(store);
  const range = lastDays(store, 30);
  const plans = ['free', 'pro', 'business', 'enterprise'] as const;
  const asked = plans.flatMap((plan) =>
    ['a', 'b', 'a'].map((id) => ({ of: 'key' as const, id, range, plan })),
  );
  expect(await underPlan.loadMany(asked)).toHaveLength(12);
  await refusals.loadMany([
    { id: 'a', first: 1 },
    { id: 'b', first: 3 },
    { id: 'a', first: 2 },
  ]);
  expect(store.reads).toEqual([
    { of: 'daysOver', ids: ['a', 'b'] },
    { of: 'refusals', ids: ['a', 'b'] },
  ]);
});

describe('heavy reads', () => {
  /** Reads that end when the test says so. */
  function slowReads() {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const read = (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => void ends.push(resolve));
    };
    return { begun, read, endOne: () => ends.shift()?.() };
  }
  const begins = (what: string, reads: ReturnType<typeof slowReads>, count: number) =>
    until(what, () => Promise.resolve(reads.begun.length === count));

  test('of one project are three at a time, and of a process eight', async () => {
    const heavy = createHeavyReads();
    const reads = slowReads();
    const { signal } = new AbortController();
    const all = ['a', 'b', 'c', 'd'].flatMap((project) =>
      Array.from({ length: 5 }, () => heavy.of(project, signal)(reads.read(project))),
    );
    await begins('eight reads', reads, 8);
    expect(reads.begun.filter((project) => project === 'a')).toHaveLength(3);
    for (let ended = 1; ended <= 20; ended++) {
      reads.endOne();
      await begins('the next read', reads, Math.min(20, 8 + ended));
    }
    await Promise.all(all);
  });

  test('that wait never begin once their request has ended', async () => {
    const heavy = createHeavyReads();
    const reads = slowReads();
    const ending = new AbortController();
    const ours = Array.from({ length: 3 }, () =>
      heavy.of('a', new AbortController().signal)(reads.read('ours')),
    );
    const theirs = heavy.of('a', ending.signal)(reads.read('theirs'));
    await begins('three reads', reads, 3);
    ending.abort(new Error('the request has ended'));
    for (const _ of ours) reads.endOne();
    await expect(theirs).rejects.toThrow('the request has ended');
    await Promise.all(ours);
    expect(reads.begun).toEqual(['ours', 'ours', 'ours']);
  });
});

import { createMongoUsageStore, usageCollection } from '../../../src/features/usage/mongo-usage-store.js';
import type { Refusal } from '../../../src/features/usage/usage.js';
import type { KeyDay, UsageStore } from '../../../src/features/usage/usage-store.js';
import { makeCollections } from '../../support/make-collections.js';
import { useRawDatabase } from '../../support/use-raw-database.js';

const AT = Date.parse('2029-06-15T12:00:00.000Z');
const SPAN = { first: '2029-06-15', last: '2029-06-15' };
const LIST = { interface: 'rest', operation: 'listPets', status: 200, cost: 1 } as const;

const { raw } = useRawDatabase();
let store: UsageStore;
beforeAll(async () => {
  store = createMongoUsageStore(await makeCollections(raw(), usageCollection));
});

let keys = 0;
const requestsOf = async ({ id }: { id: string }) =>
  (await store.days([id], SPAN))
    .flatMap(({ groups }) => groups)
    .reduce((sum, { requests }) => sum + requests, 0);

const keyDay = (fields: Partial<KeyDay> = {}): KeyDay => ({
  keyId: `key_${++keys}`,
  projectId: 'proj_a',
  day: SPAN.first,
  groups: [{ ...LIST, requests: 1 }],
  bans: 0,
  refusals: [],
  ...fields,
});

test('the store adds what twenty writers add to the same new record at once, each of them once', async () => {
  const one = keyDay();
  const batches = Array.from({ length: 20 }, (_, i) => ({ writer: `x${i}`, number: 1, keyDays: [one] }));
  await Promise.all([...batches, ...batches].map((batch) => store.add(batch)));
  expect(await requestsOf({ id: one.keyId })).toBe(20);
});

test('keeps the sum of each project beside that of its keys, given again or not', async () => {
  const [projectId, other] = ['proj_sum', 'proj_other'];
  const refused = { ...LIST, status: 429, requests: 4, cost: 0 };
  const keyDays = [
    keyDay({ projectId, bans: 1 }),
    keyDay({ projectId, groups: [{ ...LIST, requests: 2 }, refused] }),
    keyDay({ projectId: other }),
    keyDay({ projectId: undefined }),
  ];
  for (const number of [1, 1, 2]) await store.add({ writer: 'p', number, keyDays });
  const days = await store.days([projectId, other], SPAN);
  expect(days.find(({ id }) => id === projectId)).toMatchObject({
    bans: 2,
    groups: [
      { status: 200, requests: 6, cost: 4 },
      { status: 429, requests: 8, cost: 0 },
    ],
  });
  expect(days.find(({ id }) => id === other)).toMatchObject({ bans: 0, groups: [{ requests: 2 }] });
});

test('counts past 2^31, exactly', async () => {
  const many = 2 ** 31 - 1;
  const one = keyDay({ groups: [{ ...LIST, requests: many, cost: many }] });
  for (const number of [1, 2, 3]) await store.add({ writer: 'y', number, keyDays: [one] });
  expect(await store.days([one.keyId], SPAN)).toMatchObject([
    { groups: [{ requests: 3 * many, cost: 3 * many }] },
  ]);
  expect(await store.daysOver('key', [one.keyId], SPAN, [1000])).toEqual([
    { id: one.keyId, daysOver: [[{ day: SPAN.first, keys: 1, over: 3 * many - 1000 }]] },
  ]);
});

test('keeps the latest 50 rejections of a day in the order of their times, in whatever order they are written', async () => {
  const refusals = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i): Refusal => ({
      at: new Date(AT + (from + i) * 1000),
      code: 'rate_limit_exceeded',
      message: 'Wait.',
      interface: 'rest',
      operation: 'listPets',
    }));
  const one = keyDay({ refusals: refusals(40, 60) });
  await store.add({ writer: 'later', number: 1, keyDays: [one] });
  await store.add({ writer: 'earlier', number: 1, keyDays: [{ ...one, refusals: refusals(0, 40) }] });
  const latest = async (first: number) => (await store.refusals([one.keyId], first)).get(one.keyId) ?? [];
  const seconds = (await latest(100)).map(({ at }) => (at.getTime() - AT) / 1000);
  expect(seconds).toEqual(Array.from({ length: 50 }, (_, i) => 59 - i));
  expect(await latest(3)).toHaveLength(3);
});

test('looks for refusals on earlier days when the latest had few', async () => {
  const at = (day: string): Refusal => ({
    at: new Date(`${day}T01:00:00Z`),
    code: 'key_banned',
    message: 'Wait.',
    interface: 'graphql',
    operation: 'other',
  });
  const { keyId } = keyDay();
  const days = ['2029-06-11', '2029-06-12', '2029-06-15'];
  const keyDays = days.map((day) => keyDay({ keyId, day, refusals: [at(day)] }));
  await store.add({ writer: 'z', number: 1, keyDays: [...keyDays, keyDay({ keyId, day: '2029-06-14' })] });
  const found = await store.refusals([keyId], 20);
  expect(found.get(keyId)?.map((refusal) => refusal.at)).toEqual(days.toReversed().map((day) => at(day).at));
});

test('has the end of each day, from which retention counts', async () => {
  const one = keyDay({ day: '2029-06-15' });
  await store.add({ writer: 'z', number: 2, keyDays: [one] });
  const usage = raw().collection<{ _id: string; endsAt: Date }>('usage');
  const found = await usage.findOne({ _id: `${one.keyId} ${one.day}` });
  expect(found?.endsAt).toEqual(new Date('2029-06-16T00:00:00Z'));
});

import type { Connection } from 'mongoose';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { createMongoUsageStore, usageCollection } from '../../../src/features/usage/mongo-usage-store.js';
import type { Refusal } from '../../../src/features/usage/usage.js';
import { createUsageCounters, type UsageCountersParts } from '../../../src/features/usage/usage-counters.js';
import type { KeyDay, UsageBatch, UsageStore } from '../../../src/features/usage/usage-store.js';
import { freshDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';
import { makeCollections } from '../../support/make-collections.js';

const HOUR_MS = 3_600_000;
const AT = Date.parse('2029-06-15T12:00:00.000Z');
const SPAN = { first: '2029-06-15', last: '2029-06-15' };
const LIST = { interface: 'rest', operation: 'listPets', status: 200, cost: 1 } as const;

const database = freshDatabase();
let connection: Connection;
let store: UsageStore;

beforeAll(async () => {
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  store = createMongoUsageStore(await makeCollections(connection, usageCollection));
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

let keys = 0;
const newKey = () => ({ id: `key_${++keys}`, projectId: 'proj_a' });
const requestsOf = async ({ id }: { id: string }) =>
  (await store.days([id], SPAN))
    .flatMap(({ groups }) => groups)
    .reduce((sum, { requests }) => sum + requests, 0);

describe('counts', () => {
  let errors: unknown[];
  let lost: number[];
  let writers = 0;
  const counters = (parts: Partial<UsageCountersParts> = {}) =>
    createUsageCounters({
      store,
      writer: `w${++writers}`,
      intervalMs: HOUR_MS,
      onError: (error) => void errors.push(error),
      onLost: (requests) => void lost.push(requests),
      ...parts,
    });
  beforeEach(() => {
    [errors, lost] = [[], []];
  });

  test('are written in one batch, and at the end', async () => {
    const batches: UsageBatch[] = [];
    const usage = counters({ store: { add: (batch) => (batches.push(batch), store.add(batch)) } });
    const [one, two] = [newKey(), newKey()];
    for (let i = 0; i < 100; i++) for (const key of [one, two]) usage.count(key, LIST, AT + i);
    await usage.flush();
    expect(batches).toHaveLength(1);
    usage.count(one, LIST, AT);
    await usage.close();
    expect([await requestsOf(one), await requestsOf(two)]).toEqual([101, 100]);
  });

  test('are added once when the store had them and its answer was lost', async () => {
    const answers: ('lost' | 'unreachable' | 'given')[] = ['lost', 'unreachable', 'lost', 'given', 'given'];
    const usage = counters({
      store: {
        async add(batch) {
          const answer = answers.shift();
          if (answer !== 'unreachable') await store.add(batch);
          if (answer !== 'given') throw new Error(answer);
        },
      },
    });
    const [one, two] = [newKey(), newKey()];
    usage.count(one, LIST, AT);
    for (let i = 0; i < 3; i++) {
      await usage.flush();
      usage.count(one, LIST, AT);
      usage.count(two, LIST, AT);
    }
    await usage.close();
    expect([await requestsOf(one), await requestsOf(two)]).toEqual([4, 3]);
    expect(errors).toHaveLength(3);
    expect(answers).toEqual([]);
  });

  test('are written without waiting for the interval when ten thousand keys have some', async () => {
    const written: number[] = [];
    const usage = counters({
      store: { add: ({ keyDays }) => (written.push(keyDays.length), Promise.resolve()) },
    });
    for (let i = 0; i < 10_000; i++) usage.count(newKey(), LIST, AT);
    await until('the write', () => Promise.resolve(written.length > 0));
    usage.abandon();
    expect(written).toEqual([10_000]);
  });

  test('of many keys are written 500 at a time, and all at the end', async () => {
    const written: number[] = [];
    const usage = counters({
      intervalMs: 10,
      store: { add: ({ keyDays }) => (written.push(keyDays.length), Promise.resolve()) },
    });
    for (let i = 0; i < 1600; i++) usage.count(newKey(), LIST, AT);
    usage.start();
    await until('two writes', () => Promise.resolve(written.length >= 2));
    await usage.close();
    expect(written.slice(0, 2)).toEqual([500, 500]);
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(1600);
  });

  test('are dropped beyond 20,000 keys while the store is down, and the log says how many', async () => {
    let isDown = true;
    let written = 0;
    const usage = counters({
      store: {
        add({ keyDays }) {
          if (isDown) return Promise.reject(new Error('down'));
          written += keyDays.length;
          return Promise.resolve();
        },
      },
    });
    const first = newKey();
    usage.count(first, LIST, AT);
    await usage.flush();
    // One batch that failed, and one more that waits.
    for (let i = 0; i < 20_003; i++) usage.count(newKey(), LIST, AT);
    await usage.flush();
    isDown = false;
    await usage.close();
    expect([written, lost]).toEqual([20_001, [3]]);
  });

  test('of two days are two records', async () => {
    const usage = counters();
    const key = newKey();
    usage.count(key, LIST, AT + 12 * HOUR_MS - 1);
    usage.count(key, LIST, AT + 12 * HOUR_MS);
    await usage.close();
    const days = await store.days([key.id], { first: '2029-06-15', last: '2029-06-16' });
    expect(days.map(({ day, groups }) => [day, groups[0]?.requests]).sort()).toEqual([
      ['2029-06-15', 1],
      ['2029-06-16', 1],
    ]);
  });

  test('are not written once the store is lost', async () => {
    const usage = counters();
    const key = newKey();
    usage.count(key, LIST, AT);
    usage.abandon();
    expect(await requestsOf(key)).toBe(0);
  });
});

describe('the store', () => {
  const keyDay = (fields: Partial<KeyDay> = {}): KeyDay => ({
    keyId: newKey().id,
    projectId: 'proj_a',
    day: SPAN.first,
    groups: [{ ...LIST, requests: 1 }],
    bans: 0,
    refusals: [],
    ...fields,
  });

  test('adds what twenty writers add to the same new record at once, each of them once', async () => {
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
    expect(found.get(keyId)?.map((refusal) => refusal.at)).toEqual(
      days.toReversed().map((day) => at(day).at),
    );
  });

  test('has the end of each day, from which retention counts', async () => {
    const one = keyDay({ day: '2029-06-15' });
    await store.add({ writer: 'z', number: 2, keyDays: [one] });
    const usage = connection.collection<{ _id: string; endsAt: Date }>('usage');
    const found = await usage.findOne({ _id: `${one.keyId} ${one.day}` });
    expect(found?.endsAt).toEqual(new Date('2029-06-16T00:00:00Z'));
  });
});

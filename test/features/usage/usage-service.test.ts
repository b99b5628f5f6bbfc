import { createMongoUsageStore, usageCollection } from '../../../src/features/usage/mongo-usage-store.js';
import { createUsageService } from '../../../src/features/usage/usage-service.js';
import type { KeyDay, UsageStore } from '../../../src/features/usage/usage-store.js';
import type { UsageGroup } from '../../../src/features/usage/usage.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { freshDatabase } from '../../support/database.js';
import { makeCollections } from '../../support/make-collections.js';

const NOW = Date.parse('2029-06-15T12:00:00.000Z');
const WRITTEN_AFTER_MS = 30_000;
const database = freshDatabase();
let store: UsageStore;
let close: () => Promise<void>;
beforeAll(async () => {
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  close = () => connection.close();
  store = createMongoUsageStore(await makeCollections(connection, usageCollection));
});
afterAll(async () => {
  await close();
  await database.drop();
});

const serviceAt = (nowMs: number) => createUsageService(store, WRITTEN_AFTER_MS, () => nowMs);
const date = (text: string) => new Date(text);

describe('a range', () => {
  const rangeOf = (from?: string, to?: string, nowMs = NOW) => {
    const range = serviceAt(nowMs).range(from ? date(from) : undefined, to ? date(to) : undefined);
    return [range.days[0], range.days.at(-1), range.days.length, range.from, range.to];
  };

  test('has the last 30 UTC days unless asked otherwise, from the first millisecond of a day on', () => {
    const june = ['2029-05-17', '2029-06-15', 30, date('2029-05-17'), date('2029-06-16')];
    expect(rangeOf()).toEqual(june);
    expect(rangeOf(undefined, undefined, Date.parse('2029-06-15T00:00:00.000Z'))).toEqual(june);
    expect(rangeOf(undefined, undefined, Date.parse('2029-06-15T23:59:59.999Z'))).toEqual(june);
  });

  test('has each day that it touches; its end is exclusive', () => {
    expect(rangeOf('2029-01-31T23:59:59.999Z', '2029-02-28T00:00:00.001Z')).toEqual([
      '2029-01-31',
      '2029-02-28',
      29,
      date('2029-01-31'),
      date('2029-03-01'),
    ]);
    expect(rangeOf('2029-02-01', '2029-03-01').slice(0, 3)).toEqual(['2029-02-01', '2029-02-28', 28]);
    expect(rangeOf(undefined, '2029-03-01').slice(0, 3)).toEqual(['2029-01-30', '2029-02-28', 30]);
    expect(rangeOf('2029-06-15T12:00:00.000Z').slice(0, 3)).toEqual(['2029-06-15', '2029-06-15', 1]);
    expect(rangeOf('1970-01-01', '1970-01-02').slice(0, 3)).toEqual(['1970-01-01', '1970-01-01', 1]);
  });

  test('has at most 400 days', () => {
    expect(rangeOf('2028-05-12', '2029-06-16')[2]).toBe(400);
  });

  test.each([
    ['2029-01-02', '2029-01-01', 'from: must be before `to`'],
    ['2029-01-01', '2029-01-01', 'from: must be before `to`'],
    ['2029-06-15T12:00:00.001Z', undefined, 'from: must be before now, unless there is a later `to`'],
    [
      '2028-05-11',
      '2029-06-16',
      'from: must be at most 400 days before `to`, not 401: request shorter ranges',
    ],
    ['1969-12-31', '1970-01-02', 'from: must be later than 1970'],
    [undefined, '1970-01-30', 'to: must be later than 1970'],
  ])('from %s to %s is rejected: %s', (from, to, message) => {
    expect(() => rangeOf(from, to)).toThrow(message);
  });
});

describe('usage', () => {
  const group = (fields: Partial<UsageGroup>): UsageGroup => ({
    interface: 'rest',
    operation: 'listPets',
    status: 200,
    requests: 1,
    cost: 1,
    ...fields,
  });
  let batches = 0;
  const record = (...keyDays: Partial<KeyDay>[]) =>
    store.add({
      writer: 'one',
      number: ++batches,
      keyDays: keyDays.map((keyDay) => ({
        keyId: 'key_a',
        projectId: 'proj_a',
        day: '2029-06-15',
        groups: [],
        bans: 0,
        refusals: [],
        ...keyDay,
      })),
    });

  test('is summed by day, by status and by group, for each id in the order of the ids', async () => {
    await record(
      {
        day: '2029-06-13',
        bans: 1,
        groups: [
          group({ operation: 'createPet', status: 429, requests: 3, cost: 0 }),
          group({ requests: 5, cost: 5 }),
          group({ operation: 'getPet', requests: 2, cost: 2 }),
        ],
      },
      { day: '2029-06-15', bans: 2, groups: [group({ requests: 4, cost: 8 })] },
      { day: '2029-06-16', bans: 9, groups: [group({ requests: 900, cost: 900 })] },
      { day: '2029-06-12', bans: 9, groups: [group({ requests: 900, cost: 900 })] },
      { keyId: 'key_b', day: '2029-06-14', groups: [group({ interface: 'graphql', operation: 'pets' })] },
    );
    const service = serviceAt(NOW);
    const range = service.range(date('2029-06-13'), date('2029-06-16'));
    const nothing = { requests: 0, cost: 0, refused: 0, byStatus: [] };
    const [b, none, a] = await service.of(['key_b', 'key_none', 'key_a'], range);
    expect(a).toEqual({
      range,
      asOf: new Date(NOW - WRITTEN_AFTER_MS),
      requests: 14,
      cost: 15,
      refused: 3,
      bans: 3,
      days: [
        {
          date: '2029-06-13',
          requests: 10,
          cost: 7,
          refused: 3,
          byStatus: [
            { status: 200, requests: 7 },
            { status: 429, requests: 3 },
          ],
        },
        { date: '2029-06-14', ...nothing },
        { date: '2029-06-15', requests: 4, cost: 8, refused: 0, byStatus: [{ status: 200, requests: 4 }] },
      ],
      groups: [
        group({ requests: 9, cost: 13 }),
        group({ operation: 'createPet', status: 429, requests: 3, cost: 0 }),
        group({ operation: 'getPet', requests: 2, cost: 2 }),
      ],
    });
    expect(b).toMatchObject({ requests: 1, bans: 0, groups: [{ interface: 'graphql', operation: 'pets' }] });
    expect(none).toMatchObject({ requests: 0, bans: 0, groups: [] });
    const ids = ['key_b', 'proj_a', 'key_none', 'key_a'];
    expect(await service.sumOf(ids, range)).toEqual(
      (await service.of(ids, range)).map(({ days: _days, ...sum }) => sum),
    );
    const [project] = await service.of(['proj_a'], range);
    expect(project).toMatchObject({ requests: 15, cost: 16, refused: 3, bans: 3 });
  });

  test('has groups with equally many requests in the order of their names', async () => {
    const names = [
      group({ operation: 'pets', interface: 'graphql' }),
      group({ operation: 'createPet', status: 201 }),
      group({ operation: 'createPet', status: 400 }),
      group({ operation: 'getPet' }),
    ];
    await record({
      keyId: 'key_ties',
      projectId: 'proj_ties',
      groups: [names[2], names[3], names[0], names[1]] as UsageGroup[],
    });
    const service = serviceAt(NOW);
    const [usage] = await service.of(['key_ties'], service.range(undefined, undefined));
    expect(usage?.groups).toEqual(names);
  });

  test('under another plan has the days above its limit, of each key by itself, in order', async () => {
    const spend = (keyId: string, day: string, cost: number): Partial<KeyDay> => ({
      keyId,
      projectId: 'proj_plan',
      day,
      groups: [group({ requests: 1, cost: cost - 1 }), group({ operation: 'getPet' })],
    });
    await record(
      spend('key_1', '2029-06-15', 1700),
      spend('key_2', '2029-06-15', 1001),
      spend('key_3', '2029-06-15', 1000),
      spend('key_1', '2029-06-13', 1200),
      spend('key_1', '2029-06-12', 9999),
      spend('key_1', '2029-06-16', 9999),
    );
    const service = serviceAt(NOW);
    const range = service.range(date('2029-06-13'), date('2029-06-16'));
    const free = {
      plan: 'free',
      daysOver: [
        { day: '2029-06-13', keys: 1, over: 200 },
        { day: '2029-06-15', keys: 2, over: 701 },
      ],
      over: 901,
    };
    const pro = { plan: 'pro', daysOver: [], over: 0 };
    const enterprise = { plan: 'enterprise', daysOver: [], over: 0 };
    expect(
      await service.underPlans('project', ['proj_none', 'proj_plan'], range, ['free', 'enterprise', 'pro']),
    ).toEqual([
      [{ ...pro, plan: 'free' }, enterprise, pro],
      [free, enterprise, pro],
    ]);
    expect(await service.underPlans('key', ['key_2', 'key_1'], range, ['free'])).toMatchObject([
      [{ over: 1 }],
      [{ over: 900 }],
    ]);
    expect((await service.of(['proj_plan'], range))[0]).toMatchObject({ cost: 4901 });
    expect(await service.underPlans('project', ['proj_plan'], range, ['enterprise'])).toEqual([[enterprise]]);
  });

  test('has the latest rejections of a key, newest first', async () => {
    const refusals = [1, 2, 3].map((hour) => ({
      at: date(`2029-06-15T0${hour}:00:00.000Z`),
      code: 'rate_limit_exceeded',
      message: 'Retry in 58 s.',
      interface: 'rest' as const,
      operation: 'listPets',
    }));
    await record({ keyId: 'key_refused', refusals });
    const service = serviceAt(NOW);
    const known = refusals.map((refusal) => ({ ...refusal, keyId: 'key_refused' }));
    expect(await service.refusals(['key_none', 'key_refused'], 1000)).toEqual([[], known.toReversed()]);
    expect(await service.refusals(['key_refused'], 1)).toEqual([known.slice(-1)]);
  });

  test('of a deleted project and of its keys is removed, and no other', async () => {
    const groups = [group({})];
    await record(
      { keyId: 'key_kept', projectId: 'proj_kept', groups },
      { keyId: 'key_gone', projectId: 'proj_gone', groups },
    );
    await store.removeOfProject('proj_gone', new AbortController().signal);
    const service = serviceAt(NOW);
    const ids = ['key_kept', 'proj_kept', 'key_gone', 'proj_gone'];
    const usages = await service.of(ids, service.range(undefined, undefined));
    expect(usages.map(({ requests }) => requests)).toEqual([1, 1, 0, 0]);
  });
});

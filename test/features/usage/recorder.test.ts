import type { Connection } from 'mongoose';
import type { ApiKeysFilter, ApiKeysStore, KeyUse } from '../../../src/features/keys/api-keys-store.js';
import { ApiError } from '../../../src/lib/errors.js';
import { utcDay } from '../../../src/lib/clock.js';
import { NO_RESETS, type WindowState } from '../../../src/features/plans/window.js';
import { createMongoTrafficStore } from '../../../src/features/usage/mongo-traffic-store.js';
import { createMongoUsageStore } from '../../../src/features/usage/mongo-usage-store.js';
import { createRecorder, type Recorder, type RecorderStores } from '../../../src/features/usage/recorder.js';
import type { TrafficBatch, TrafficStore } from '../../../src/features/usage/traffic-store.js';
import type { UsageBatch, UsageStore } from '../../../src/features/usage/usage-store.js';
import type { Batch } from '../../../src/features/usage/write-buffer.js';
import { adminKey } from '../../support/admin-key.js';
import { openKeyStore } from '../../support/key-store.js';
import { until } from '../../support/until.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const AT = Date.parse('2029-06-15T12:00:00.000Z');
const SPAN = { first: '2029-06-15', last: '2029-06-15' };
const LIST = { interface: 'rest', source: 'pro', operation: 'listPets', status: 200, cost: 1 } as const;

let connection: Connection;
let closeStores: () => Promise<void>;
let apiKeys: ApiKeysStore;
let usage: UsageStore;
let traffic: TrafficStore;
beforeAll(async () => {
  ({ store: apiKeys, connection, close: closeStores } = await openKeyStore(() => AT));
  usage = createMongoUsageStore(connection);
  traffic = createMongoTrafficStore(connection);
});
afterAll(() => closeStores());

let warnings: [fields: { err?: unknown; lost?: number }, message: string][];
let written: { usage: number[]; traffic: number[]; apiKeys: number[] };
beforeEach(() => {
  warnings = [];
  written = { usage: [], traffic: [], apiKeys: [] };
});

const log = { warn: (fields: object, message: string) => void warnings.push([fields, message]) };

/** A recorder whose writes never reach MongoDB: `written` has the numbers of their rows. */
function inMemory({ isDown = (): boolean => false, intervalMs = HOUR_MS } = {}): Recorder {
  const note = (table: keyof typeof written, rows: readonly unknown[]) => {
    if (isDown()) return Promise.reject(new Error('down'));
    written[table].push(rows.length);
    return Promise.resolve();
  };
  const stores: RecorderStores = {
    apiKeys: { recordUse: (rows) => note('apiKeys', rows) },
    usage: { add: ({ keyDays }) => note('usage', keyDays) },
    traffic: { add: ({ minutes }) => note('traffic', minutes) },
  };
  return createRecorder(stores, log, intervalMs);
}

const recorder = (stores: Partial<RecorderStores> = {}) =>
  createRecorder({ apiKeys, usage, traffic, ...stores }, log, HOUR_MS);

let keys = 0;
const newKey = () => ({ id: `key_${++keys}`, projectId: 'proj_a' });
async function storedKey(): Promise<string> {
  const { key } = adminKey();
  await apiKeys.insert(key, undefined);
  return key.id;
}
const requestsOf = async ({ id }: { id: string }) =>
  (await usage.days([id], SPAN))
    .flatMap(({ groups }) => groups)
    .reduce((sum, { requests }) => sum + requests, 0);
const trafficAt = async (minuteMs: number) => (await traffic.periods('minute', [minuteMs]))[0];
const lastUsedAt = async (id: string) => (await apiKeys.get(id))?.lastUsedAt?.getTime();
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('counts', () => {
  test('are written in one batch for each table, and at the end', async () => {
    const counting = inMemory();
    const [one, two] = [newKey(), newKey()];
    for (let i = 0; i < 100; i++)
      for (const key of [one, two]) {
        counting.noteUse(key.id, AT + i);
        counting.countRequest(key, LIST, AT + i);
      }
    await counting.flush();
    expect(written).toEqual({ usage: [2], traffic: [1], apiKeys: [2] });
    counting.countRequest(one, LIST, AT);
    await counting.close();
    expect(written).toEqual({ usage: [2, 1], traffic: [1, 1], apiKeys: [2] });
  });

  test('are not written when there are none', async () => {
    const counting = inMemory();
    await counting.flush();
    await counting.close();
    expect(written).toEqual({ usage: [], traffic: [], apiKeys: [] });
  });

  test('are added once when the store had them and its answer was lost', async () => {
    const minuteMs = AT + 20 * MINUTE_MS;
    const answers = ['lost', 'unreachable', 'lost', 'given', 'given'];
    /** Each table fails in the same way. */
    const faulty = <B extends Batch>(add: (batch: B) => Promise<void>) => {
      const left = [...answers];
      return {
        async add(batch: B) {
          const answer = left.shift();
          if (answer !== 'unreachable') await add(batch);
          if (answer !== 'given') throw new Error(answer);
        },
        left,
      };
    };
    const stores = {
      usage: faulty<UsageBatch>((batch) => usage.add(batch)),
      traffic: faulty<TrafficBatch>((batch) => traffic.add(batch)),
    };
    const counting = recorder(stores);
    const [one, two] = [newKey(), newKey()];
    counting.countRequest(one, { ...LIST, status: 503 }, minuteMs);
    for (let i = 0; i < 3; i++) {
      await counting.flush();
      counting.countRequest(one, LIST, minuteMs);
      counting.countRequest(two, LIST, minuteMs);
      counting.countBan(two, minuteMs);
    }
    await counting.close();
    expect([await requestsOf(one), await requestsOf(two)]).toEqual([4, 3]);
    expect(await trafficAt(minuteMs)).toMatchObject({
      bans: 3,
      groups: [{ interface: 'rest', source: 'pro', requests: 7, serverErrors: 1 }],
    });
    expect(warnings.map(([, message]) => message).sort()).toEqual([
      ...Array<string>(3).fill('Could not save traffic; the gateway will retry'),
      ...Array<string>(3).fill('Could not save usage; the gateway will retry'),
    ]);
    expect([stores.usage.left, stores.traffic.left]).toEqual([[], []]);
  });

  test('of one table are written while the store of another fails', async () => {
    const key = newKey();
    const counting = recorder({ traffic: { add: () => Promise.reject(new Error('down')) } });
    counting.countRequest(key, LIST, AT);
    await counting.flush();
    expect(await requestsOf(key)).toBe(1);
    counting.abandon();
  });

  test('of requests without a key are traffic only', async () => {
    const counting = inMemory();
    counting.countRequest(undefined, { ...LIST, source: 'unauthenticated', status: 401 }, AT);
    await counting.close();
    expect(written).toEqual({ usage: [], traffic: [1], apiKeys: [] });
  });

  test('are written without waiting for the interval when ten thousand keys have some', async () => {
    const counting = inMemory();
    for (let i = 0; i < 10_000; i++) counting.countRequest(newKey(), LIST, AT);
    await until('the write', () => Promise.resolve(written.usage.length > 0));
    counting.abandon();
    expect(written.usage).toEqual([10_000]);
  });

  test('of many keys are written 500 at a time, and all at the end', async () => {
    const counting = inMemory({ intervalMs: 10 });
    for (let i = 0; i < 1600; i++) counting.countRequest(newKey(), LIST, AT);
    counting.start();
    await until('two writes', () => Promise.resolve(written.usage.length >= 2));
    await counting.close();
    expect(written.usage.slice(0, 2)).toEqual([500, 500]);
    expect(sum(written.usage)).toBe(1600);
  });

  test.each<[string, keyof typeof written, number, (counting: Recorder, i: number) => void]>([
    [
      'usage beyond 20,000 keys',
      'usage',
      20_000,
      (counting, i) => counting.countRequest({ id: `k${i}`, projectId: 'p' }, LIST, AT),
    ],
    [
      'traffic after two days',
      'traffic',
      2880,
      (counting, i) => counting.countRequest(undefined, LIST, AT + i * MINUTE_MS),
    ],
    ['uses beyond 100,000 keys', 'apiKeys', 100_000, (counting, i) => counting.noteUse(`k${i}`, AT)],
  ])('are dropped while the store is down, %s, and the log says how many', async (_, table, most, change) => {
    let isDown = true;
    const counting = inMemory({ isDown: () => isDown });
    change(counting, -1);
    await counting.flush();
    // One batch that failed, and one more that waits.
    for (let i = 0; i < most + 3; i++) change(counting, i);
    await counting.flush();
    isDown = false;
    await counting.close();
    expect(sum(written[table])).toBe(most + 1);
    expect(warnings.flatMap(([{ lost }]) => lost ?? [])).toEqual([3]);
  });

  test('of two days are two records', async () => {
    const counting = recorder();
    const key = newKey();
    counting.countRequest(key, LIST, AT + 12 * HOUR_MS - 1);
    counting.countRequest(key, LIST, AT + 12 * HOUR_MS);
    await counting.close();
    const days = await usage.days([key.id], { first: '2029-06-15', last: '2029-06-16' });
    expect(days.map(({ day, groups }) => [day, groups[0]?.requests]).sort()).toEqual([
      ['2029-06-15', 1],
      ['2029-06-16', 1],
    ]);
  });

  test('are not written once the store is lost', async () => {
    const counting = recorder();
    const key = newKey();
    counting.countRequest(key, LIST, AT);
    counting.abandon();
    expect(await requestsOf(key)).toBe(0);
  });
});

describe('when keys were last used', () => {
  test('is written with a flush, not with each request', async () => {
    const counting = recorder();
    const ids = [await storedKey(), await storedKey()];
    for (let i = 0; i < 100; i++) for (const id of ids) counting.noteUse(id, AT + i);
    expect(await Promise.all(ids.map(lastUsedAt))).toEqual([undefined, undefined]);
    await counting.close();
    expect(await Promise.all(ids.map(lastUsedAt))).toEqual([AT + 99, AT + 99]);
  });

  test('is written with the next write after a failure; the latest value wins', async () => {
    let isDown = true;
    const counting = recorder({
      apiKeys: { recordUse: (uses) => (isDown ? Promise.reject(new Error('cut')) : apiKeys.recordUse(uses)) },
    });
    const [first, second] = [await storedKey(), await storedKey()];
    counting.noteUse(first, AT);
    counting.noteUse(second, AT);
    const failed = counting.flush();
    counting.noteUse(second, AT + 5);
    await failed;
    isDown = false;
    await counting.flush();
    expect(await Promise.all([first, second].map(lastUsedAt))).toEqual([AT, AT + 5]);
    expect(warnings).toMatchObject([
      [{ err: { message: 'cut' } }, 'Could not save when keys were last used; the gateway will retry'],
    ]);
    await counting.close();
  });

  test('never goes back, as from a node that writes late', async () => {
    const counting = recorder();
    const id = await storedKey();
    await apiKeys.recordUse([{ keyId: id, lastUsedAt: new Date(AT + 10) }]);
    counting.noteUse(id, AT);
    await counting.close();
    expect(await lastUsedAt(id)).toBe(AT + 10);
  });
});

describe('the state of a key after a charge', () => {
  const TOMORROW = AT + 12 * HOUR_MS;
  const day = (used: number, limit: number, resetAtMs = TOMORROW): WindowState[] => [
    { name: 'minute', limit: 1, used: 1, remaining: 0, resetAtMs: undefined },
    { name: 'day', limit, used, remaining: limit - used, resetAtMs },
  ];
  const after = (id: string, epoch = 0) => ({ id, epochs: { ...NO_RESETS, day: epoch } });

  test('is written with its use, and a later use without a charge keeps it', async () => {
    const counting = recorder();
    const id = await storedKey();
    counting.noteWindows(after(id), day(7, 100), AT);
    counting.noteUse(id, AT + 1);
    await counting.close();
    expect(await apiKeys.get(id)).toMatchObject({ usageToday: 7, lastUsedAt: new Date(AT + 1) });
  });

  test.each([
    [79, false],
    [80, true],
    [100, true],
  ])('says of %d of 100 requests of the day whether that is near the limit: %p', async (used, near) => {
    const counting = recorder();
    const id = await storedKey();
    counting.noteWindows(after(id), day(used, 100), AT);
    await counting.close();
    const { entries } = await apiKeys.page({
      first: 100,
      filter: { nearLimit: true },
      orderBy: 'createdAt',
      nowMs: AT,
    });
    expect(entries.some(({ key }) => key.id === id)).toBe(near);
  });

  const idsOf = async (filter: ApiKeysFilter) => {
    const { entries } = await apiKeys.page({ first: 100, filter, orderBy: 'createdAt', nowMs: AT });
    return entries.map(({ key }) => key.id);
  };
  const recordingUses = (uses: KeyUse[]) =>
    recorder({ apiKeys: { recordUse: (rows) => Promise.resolve(void uses.push(...rows)) } });
  const minute = (used: number, limit = 10): WindowState => {
    return { name: 'minute', limit, used, remaining: limit - used, resetAtMs: AT + 60_000 };
  };

  test('says whether a minute came near its limit, also once the minute is over', async () => {
    const counting = recorder();
    const [near, far, ofAdmin] = [await storedKey(), await storedKey(), await storedKey()];
    counting.noteWindows(after(near), [minute(8), ...day(8, 100).slice(1)], AT);
    counting.noteWindows(after(near), [minute(1), ...day(9, 100).slice(1)], AT + 1);
    counting.noteWindows(after(far), [minute(7), ...day(7, 100).slice(1)], AT);
    counting.noteWindows(after(ofAdmin), [minute(8)], AT);
    await counting.close();
    const found = await idsOf({ nearLimit: true });
    expect([near, far, ofAdmin].map((id) => found.includes(id))).toEqual([true, false, true]);
  });

  test('marks a key near the limit of a minute once a day, and again after a reset or on another plan', async () => {
    const uses: KeyUse[] = [];
    const counting = recordingUses(uses);
    const noteNear = (epoch: number, limit = 10) =>
      counting.noteWindows(after('key_a', epoch), [minute(limit, limit), ...day(8, 100).slice(1)], AT);
    for (const [epoch, limit] of [
      [0, 10],
      [0, 10],
      [1, 10],
      [1, 20],
      [1, 20],
    ] as const) {
      noteNear(epoch, limit);
      await counting.flush();
    }
    await counting.close();
    const today = utcDay(AT);
    expect(uses.map(({ nearLimitDay }) => nearLimitDay)).toEqual([today, undefined, today, today, undefined]);
  });

  test('marks a key whose requests were rejected once a day', async () => {
    const uses: KeyUse[] = [];
    const counting = recordingUses(uses);
    const refusal = new ApiError('rate_limit_exceeded', 'used up');
    const request = {
      source: 'free',
      interface: 'rest',
      operation: 'listPets',
      status: 429,
      cost: 0,
      refusal,
    } as const;
    for (const atMs of [AT, AT + 1, AT + 12 * HOUR_MS]) {
      counting.noteUse('key_a', atMs);
      counting.countRequest({ id: 'key_a', projectId: 'proj_a' }, request, atMs);
      await counting.flush();
    }
    await counting.close();
    expect(uses.map(({ rejectedDay }) => rejectedDay)).toEqual([
      utcDay(AT),
      undefined,
      utcDay(AT + 12 * HOUR_MS),
    ]);
  });

  test('is dropped when the day was reset in the meantime', async () => {
    const counting = recorder();
    const id = await storedKey();
    counting.noteWindows(after(id), day(7, 100), AT);
    await apiKeys.raiseEpochs(id, ['day']);
    await counting.flush();
    expect((await apiKeys.get(id))?.usageToday).toBe(0);
    counting.noteWindows(after(id, 1), day(1, 100), AT);
    await counting.close();
    expect((await apiKeys.get(id))?.usageToday).toBe(1);
  });

  test('counts for its own day, also when a use without a charge follows on the next', async () => {
    const midnight = AT - 12 * HOUR_MS;
    const counting = recorder();
    const id = await storedKey();
    counting.noteWindows(after(id), day(7, 100, midnight), midnight - 1);
    counting.noteUse(id, midnight);
    await counting.close();
    expect(await apiKeys.get(id)).toMatchObject({ usageToday: 0, lastUsedAt: new Date(midnight) });
  });

  test("counts for the day of the store's clock, also when the answer comes after midnight", async () => {
    const midnight = AT - 12 * HOUR_MS;
    const counting = recorder();
    const id = await storedKey();
    counting.noteWindows(after(id), day(95, 100, midnight), midnight + 4);
    await counting.flush();
    expect(await apiKeys.get(id)).toMatchObject({ usageToday: 0, lastUsedAt: new Date(midnight + 4) });
    counting.noteWindows(after(id), day(1, 100), midnight + 5);
    await counting.close();
    expect((await apiKeys.get(id))?.usageToday).toBe(1);
  });

  test('a request from before a reset does not hide what was counted after it', async () => {
    const counting = recorder();
    const id = await storedKey();
    await apiKeys.raiseEpochs(id, ['day']);
    counting.noteWindows(after(id, 1), day(3, 100), AT);
    counting.noteWindows(after(id), day(90, 100), AT + 1);
    await counting.close();
    expect((await apiKeys.get(id))?.usageToday).toBe(3);
  });

  test('writes nothing for a key without a day', async () => {
    const counting = inMemory();
    counting.noteWindows(after('key_a'), day(1, 100).slice(0, 1), AT);
    await counting.close();
    expect(written.apiKeys).toEqual([]);
  });
});

describe('the timer', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const started = () => {
    const counting = inMemory();
    counting.start();
    return counting;
  };

  test('writes again and again without being asked', async () => {
    const counting = started();
    for (const round of [1, 2]) {
      counting.noteUse('key_a', AT);
      await jest.advanceTimersByTimeAsync(HOUR_MS);
      expect(written.apiKeys).toHaveLength(round);
    }
    await counting.close();
  });

  test('stops with the gateway: later uses are lost', async () => {
    const [closed, abandoned] = [started(), started()];
    await closed.close();
    closed.noteUse('key_a', AT);
    abandoned.noteUse('key_b', AT);
    abandoned.abandon();
    await jest.advanceTimersByTimeAsync(10 * HOUR_MS);
    expect(written.apiKeys).toEqual([]);
  });
});

import type { Connection } from 'mongoose';
import { MINUTE_MS } from '../../../src/lib/clock.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import {
  COUNTERS_COLLECTION,
  createMongoCounters,
  type CounterDocument,
} from '../../../src/features/limiter/mongo-counters.js';
import type { Counters } from '../../../src/features/limiter/counters.js';
import { freshDatabase } from '../../support/database.js';
import { prepared } from '../../support/prepared.js';

/** What stands in MongoDB. What a limiter makes of it: limiter-over-mongodb.test.ts. */
const KEY = '{key_a}:minute:0';
const STORED_KEY = `quota:${KEY}`;

const database = freshDatabase();
let connection: Connection;
let counters: Counters;

const connect = () =>
  connectMongo({ uri: database.uri, defaultDatabase: '', databaseSuffix: '', selectionTimeoutMs: 5000 });
const documents = () => connection.collection<CounterDocument>(COUNTERS_COLLECTION);
const stored = (key = STORED_KEY) => documents().findOne({ key });

beforeAll(async () => {
  connection = await prepared(await connect());
  counters = createMongoCounters(connection, () => Date.now());
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});
beforeEach(() => documents().deleteMany({}));

test('a counter is one document, kept for whole seconds', async () => {
  const { units, expiresAtMs } = await counters.add(KEY, 60, 7, 3_599_001);
  expect(units).toBe(7);
  expect(expiresAtMs - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect(expiresAtMs - Date.now()).toBeGreaterThan(3_300_000);
  expect(await stored()).toMatchObject({ points: 7 });
  expect(((await stored())?.expire.getTime() ?? 0) - expiresAtMs).toBeLessThan(1000);
});

test('one limit after another counts on the same counter', async () => {
  await counters.add(KEY, 60, 7, MINUTE_MS);
  expect((await counters.add(KEY, 300, 1, MINUTE_MS)).units).toBe(8);
  expect(await documents().countDocuments()).toBe(1);
});

test('a key has at most one counter, and MongoDB removes expired counters', async () => {
  await counters.add(KEY, 60, 7, MINUTE_MS);
  const second = documents().insertOne({ key: STORED_KEY, points: 1, expire: new Date() });
  await expect(second).rejects.toThrow('E11000');
  expect(await documents().listIndexes().toArray()).toContainEqual(
    expect.objectContaining({ key: { expire: -1 }, expireAfterSeconds: 0 }),
  );
});

test('an expired counter that is not removed yet does not count, and the next one replaces it', async () => {
  await counters.add(KEY, 60, 7, MINUTE_MS);
  await documents().updateOne({ key: STORED_KEY }, { $set: { expire: new Date(Date.now() - 1) } });
  expect(await counters.getMany([KEY])).toEqual([undefined]);
  expect((await counters.add(KEY, 60, 2, MINUTE_MS)).units).toBe(2);
});

describe('a refund', () => {
  test('lowers its counter, and keeps the end', async () => {
    const { expiresAtMs } = await counters.add(KEY, 60, 5, MINUTE_MS);
    const before = await stored();
    await counters.refund(KEY, 2, expiresAtMs);
    expect(await stored()).toEqual({ ...before, points: 3 });
  });

  test.each([3000, -3000])('does not change a counter that ends %d ms apart', async (ms) => {
    const { expiresAtMs } = await counters.add(KEY, 60, 5, MINUTE_MS);
    await counters.refund(KEY, 2, expiresAtMs + ms);
    expect(await stored()).toMatchObject({ points: 5 });
  });

  test('creates no counter', async () => {
    await counters.refund(KEY, 5, Date.now() + MINUTE_MS);
    expect(await stored()).toBeNull();
  });

  test('stops at zero', async () => {
    const { expiresAtMs } = await counters.add(KEY, 60, 5, MINUTE_MS);
    await counters.refund(KEY, 6, expiresAtMs);
    expect(await stored()).toMatchObject({ points: 5 });
    await counters.refund(KEY, 5, expiresAtMs);
    expect(await stored()).toMatchObject({ points: 0 });
  });
});

test('reads counters in the requested order', async () => {
  const keys = Array.from({ length: 30 }, (_, i) => `{key_${i}}:day:0`);
  await Promise.all(keys.map((key, i) => counters.add(key, 1000, i + 1, MINUTE_MS)));
  const found = await counters.getMany([...keys, 'unknown'].reverse());
  expect(found.map((count) => count?.units)).toEqual([undefined, ...keys.map((_, i) => 30 - i)]);
});

test('reports and reads ends by the given clock', async () => {
  const behindMs = 3_600_000;
  const clock = () => Date.now() - behindMs;
  const behind = createMongoCounters(connection, clock);
  const { expiresAtMs } = await behind.add(KEY, 60, 5, MINUTE_MS);
  const [looked] = await behind.getMany([KEY]);
  for (const endsAtMs of [expiresAtMs, looked?.expiresAtMs ?? 0])
    expect(Math.abs(endsAtMs - clock() - MINUTE_MS)).toBeLessThan(MINUTE_MS);
  await behind.refund(KEY, 5, expiresAtMs);
  expect(await stored()).toMatchObject({ points: 0 });
});

test('every failure is an error of the store', async () => {
  const lost = await connect();
  const failing = createMongoCounters(lost, () => Date.now());
  await lost.close();
  const refused = expect.any(QuotaStoreError) as unknown;
  await expect(failing.add(KEY, 60, 1, MINUTE_MS)).rejects.toEqual(refused);
  await expect(failing.refund(KEY, 1, Date.now() + MINUTE_MS)).rejects.toEqual(refused);
  await expect(failing.getMany([KEY])).rejects.toEqual(refused);
});

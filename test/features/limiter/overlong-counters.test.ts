import type { Connection } from 'mongoose';
import { MINUTE_MS } from '../../../src/lib/clock.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import type { Counters } from '../../../src/features/limiter/counters.js';
import {
  COUNTERS_COLLECTION,
  createMongoCounters,
  type CounterDocument,
} from '../../../src/features/limiter/mongo-counters.js';
import { freshDatabase } from '../../support/database.js';
import { prepared } from '../../support/prepared.js';

const HOUR_MS = 60 * MINUTE_MS;
const LIMIT = 60;

const database = freshDatabase();
let connection: Connection;
let counters: Counters;
let stopwatchMs = 0;
/** Of each test its own: what is known of a counter outlives it. */
let key: string;
let keys = 0;

beforeAll(async () => {
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  counters = createMongoCounters(
    await prepared(connection),
    () => Date.now(),
    () => stopwatchMs,
  );
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});
beforeEach(async () => {
  key = `{key_${++keys}}:minute:0`;
  await connection.collection(COUNTERS_COLLECTION).deleteMany({});
});

const add = (units: number) => counters.add(key, LIMIT, units, MINUTE_MS);
const units = async () => (await counters.getMany([key]))[0]?.units;

/** As a gateway does whose clock is ahead, once it has found that the counter has ended. */
async function begunByAClockAhead(points: number, aheadMs: number): Promise<void> {
  await connection
    .collection<CounterDocument>(COUNTERS_COLLECTION)
    .updateOne({}, { $set: { points, expire: new Date(Date.now() + aheadMs + MINUTE_MS) } });
}

test('a counter of a clock that is an hour ahead counts for one more window, then a new one starts', async () => {
  await add(1);
  await begunByAClockAhead(40, HOUR_MS);
  expect((await add(5)).units).toBe(45);
  stopwatchMs += MINUTE_MS - 1;
  expect((await add(5)).units).toBe(50);
  expect(await units()).toBe(50);

  stopwatchMs += 1;
  expect(await units()).toBeUndefined();
  const begun = await add(2);
  expect(begun.units).toBe(2);
  expect(begun.expiresAtMs - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
});

test('if the gateway with the fast clock starts the next counter, it lasts a whole window', async () => {
  await add(1);
  await begunByAClockAhead(40, HOUR_MS);
  await add(1);
  stopwatchMs += MINUTE_MS - 1;
  await begunByAClockAhead(10, HOUR_MS + MINUTE_MS);
  await add(1);
  stopwatchMs += MINUTE_MS - 1;
  expect((await add(1)).units).toBe(12);
  expect(await units()).toBe(12);
});

test('a clock that is a second ahead is within the tolerance', async () => {
  await add(1);
  await begunByAClockAhead(40, 900);
  await add(1);
  stopwatchMs += 2 * MINUTE_MS;
  expect(await units()).toBe(41);
});

test('a late refund reaches its counter, however far its end', async () => {
  await add(1);
  await begunByAClockAhead(40, HOUR_MS);
  const { expiresAtMs } = await add(5);
  await counters.refund(key, 5, expiresAtMs);
  expect(await units()).toBe(40);
  stopwatchMs += MINUTE_MS;
  await add(7);
  await counters.refund(key, 5, expiresAtMs);
  expect(await units()).toBe(7);
});

import { mongo, type Connection } from 'mongoose';
import { createMongoQuotaStore } from '../../../src/features/limiter/mongo-quota-store.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { systemClock } from '../../../src/lib/clock.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { freshMeter } from '../../contract/limiter.js';
import { freshDatabase } from '../../support/database.js';
import { prepared } from '../../support/prepared.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import { until } from '../../support/until.js';
import { withResolvers } from '../../support/with-resolvers.js';

const database = freshDatabase();
let connection: Connection;

beforeAll(async () => {
  connection = await prepared(
    await connectMongo({
      uri: database.uri,
      defaultDatabase: '',
      databaseSuffix: '',
      selectionTimeoutMs: 5000,
    }),
  );
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

// A batch of several keys is a change and then a query, between which another process can begin the next window.
test('requests that the store rejects are not admitted by the counts of the next minute', async () => {
  let now = Date.UTC(2026, 0, 1, 12);
  const [here, there] = [0, 1].map(() => createMongoQuotaStore(connection, () => new Date(now)));
  if (here === undefined || there === undefined) throw new Error('two processes');
  const limiter = createStoreLimiter(here, systemClock);
  const [full, other] = [freshMeter(60, 100_000), freshMeter(60, 100_000)];
  await there.decide(
    full,
    Array.from({ length: 60 }, () => 1),
  );
  now += 59_999;
  // Real queries; only their moment is chosen.
  const atQuery = jest.spyOn(mongo.FindCursor.prototype, 'toArray').mockImplementationOnce(async function (
    this: mongo.FindCursor,
  ) {
    now += 2;
    await there.decide(full, [1]);
    return this.toArray();
  });
  const charges = await Promise.all([
    ...Array.from({ length: 40 }, () => limiter.charge(full, 1)),
    limiter.charge(other, 1),
  ]);
  expect(atQuery).toHaveBeenCalled();
  atQuery.mockRestore();

  const [counts] = await there.read([full]);
  const admitted = charges.slice(0, 40).filter((charge) => charge.admitted);
  expect(counts?.[0]?.consumedPoints).toBe(1 + admitted.length);
  // The minute has room, so a rejection would be wrong.
  expect(admitted).toHaveLength(40);
});

// As after a pause of mongod: it works through what lies in its sockets.
test('units that are returned when their minute has ended are not taken from the next one', async () => {
  let now = Date.UTC(2026, 0, 1, 12);
  const store = createMongoQuotaStore(connection, () => new Date(now));
  const other = createMongoQuotaStore(connection, () => new Date(now));
  const meter = freshMeter(60, 100_000);
  const { windows } = await store.decide(meter, [50]);
  now += 60_500;
  await other.decide(meter, [60]);
  const [minute] = await store.add(
    meter,
    [-50, 0],
    windows.map(({ msBeforeNext }) => msBeforeNext),
  );
  expect(minute?.consumedPoints).toBe(60);
});

test('what is counted for requests that were given up long ago is not taken from the next minute', async () => {
  let now = Date.UTC(2026, 0, 1, 12);
  let stopwatchMs = 0;
  const answers = withResolvers<undefined>();
  const store = createMongoQuotaStore(connection, () => new Date(now));
  let isLate = true;
  const late: QuotaStore = {
    ...store,
    async decide(...given) {
      const outcome = await store.decide(...given);
      if (isLate) await answers.promise;
      return outcome;
    },
  };
  const added = jest.spyOn(late, 'add');
  const limiter = createStoreLimiter(
    late,
    () => now,
    () => stopwatchMs,
    50,
  );
  const meter = freshMeter(60, 100_000);
  await expect(limiter.charge(meter, 50)).rejects.toThrow('did not answer');
  isLate = false;
  now += 60_500;
  stopwatchMs += 60_500;
  expect(await limiter.charge(meter, 60)).toMatchObject({ admitted: true });
  answers.resolve(undefined);
  await until('the units to be taken back', () => Promise.resolve(added.mock.calls.length > 0));
  await Promise.all(added.mock.results.map(({ value }) => value as Promise<unknown>));
  const [[minute, day] = []] = await store.read([meter]);
  // When the day's units were counted is unknown too: they stay counted.
  expect([minute?.consumedPoints, day?.consumedPoints]).toEqual([60, 110]);
});

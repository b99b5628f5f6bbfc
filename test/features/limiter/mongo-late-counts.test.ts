import { mongo, type Connection } from 'mongoose';
import { createMongoQuotaStore } from '../../../src/features/limiter/mongo-quota-store.js';
import { systemClock } from '../../../src/lib/clock.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { freshMeter } from '../../contract/limiter.js';
import { freshDatabase } from '../../support/database.js';
import { prepared } from '../../support/prepared.js';
import { createStoreLimiter } from '../../support/store-limiter.js';

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

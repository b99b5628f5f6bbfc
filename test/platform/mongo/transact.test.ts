import { Schema, type ClientSession, type Connection } from 'mongoose';
import { connectMongo, transact } from '../../../src/platform/mongo/connection.js';
import { freshDatabase } from '../../support/database.js';

const database = freshDatabase();
let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: database.dbName,
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

test('a transaction that collides for ever is given up with 503, long before the driver would', async () => {
  const counters = connection.model('Counter', new Schema({ _id: String, count: Number }));
  await counters.create({ _id: 'contended', count: 0 });
  const raise = (session?: ClientSession) =>
    counters.updateOne({ _id: 'contended' }, { $inc: { count: 1 } }, session && { session });
  const holder = await connection.startSession();
  holder.startTransaction();
  await raise(holder);
  try {
    const startedMs = performance.now();
    await expect(transact(connection, () => raise())).rejects.toMatchObject({ code: 'service_unavailable' });
    // The driver gives up after two minutes.
    expect(performance.now() - startedMs).toBeLessThan(100_000);
  } finally {
    await holder.abortTransaction();
    await holder.endSession();
  }
});

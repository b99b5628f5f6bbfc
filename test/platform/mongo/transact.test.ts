import { Schema, type ClientSession } from 'mongoose';
import { transact } from '../../../src/platform/mongo/connection.js';
import { useRawDatabase } from '../../support/use-raw-database.js';

const { raw } = useRawDatabase();

test('a transaction that collides for ever is given up with 503, long before the driver would', async () => {
  const connection = raw();
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

import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { freshDatabase } from '../../support/database.js';

const database = freshDatabase();
afterAll(() => database.drop());

async function optionsWith(query: string) {
  const uri = new URL(database.uri);
  uri.searchParams.delete('waitQueueTimeoutMS');
  const connection = await connectMongo({
    uri: `${uri.href}${uri.search === '' ? '?' : '&'}${query}`,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 7000,
  });
  const { maxPoolSize, serverSelectionTimeoutMS, waitQueueTimeoutMS, connectTimeoutMS, socketTimeoutMS } =
    connection.getClient().options;
  await connection.close();
  return { maxPoolSize, serverSelectionTimeoutMS, waitQueueTimeoutMS, connectTimeoutMS, socketTimeoutMS };
}

const OURS = {
  maxPoolSize: 100,
  serverSelectionTimeoutMS: 7000,
  waitQueueTimeoutMS: 7000,
  connectTimeoutMS: 5000,
  socketTimeoutMS: 30_000,
};

test('the pool size and the time limits of the URI count, and ours where it sets none', async () => {
  expect(await optionsWith('appName=test')).toEqual(OURS);
  expect(await optionsWith('maxPoolSize=7&sockettimeoutms=9000')).toEqual({
    ...OURS,
    maxPoolSize: 7,
    socketTimeoutMS: 9000,
  });
  const all = { ...OURS, serverSelectionTimeoutMS: 4000, waitQueueTimeoutMS: 3000, connectTimeoutMS: 2000 };
  const query = 'serverSelectionTimeoutMS=4000&waitQueueTimeoutMS=3000&connectTimeoutMS=2000';
  expect(await optionsWith(query)).toEqual(all);
});

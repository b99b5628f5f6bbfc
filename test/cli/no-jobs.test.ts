import { randomBytes } from 'node:crypto';
import { followChanges } from '../../src/features/system/mongo-change-feed.js';
import { rawDatabase } from '../support/raw-database.js';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { startWire, type SilentWire } from '../support/wire.js';
import { connectMongo } from '../../src/platform/mongo/connection.js';

const database = freshDatabase();
let wire: SilentWire;
/** All that was sent to MongoDB. */
const sent: Buffer[] = [];
const hasOpenedChangeStream = () => Buffer.concat(sent).includes('$changeStream');

beforeAll(async () => {
  wire = await startWire(database.uri, (bytes) => sent.push(bytes));
});
afterAll(async () => {
  wire.close();
  await database.drop();
});

const ENV = {
  PLATFORM_HOST: 'pets.test',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  ACME_DIRECTORY_URL: 'https://127.0.0.1:1/directory',
  KEY_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
};

test('a command that prints a table starts no background job', async () => {
  sent.length = 0;
  const listed = await runCommand(wire, ['keys', 'list'], ENV);
  expect(listed).toEqual({ code: 0, stdout: 'There are no keys yet.\n', stderr: '' });
  expect(Buffer.concat(sent).includes('apiKeys')).toBe(true);
  expect(hasOpenedChangeStream()).toBe(false);
  const raw = await rawDatabase({ databaseName: database.dbName });
  expect(await raw.collection('acmeAccounts').countDocuments()).toBe(0);
  await raw.close();
});

test('this test would notice a change stream', async () => {
  sent.length = 0;
  const connection = await connectMongo({
    uri: wire.uri,
    defaultDatabase: 'unused',
    databaseSuffix: '',
    selectionTimeoutMs: 10_000,
  });
  const ignored = () => undefined;
  const watch = followChanges(connection, {
    onChange: ignored,
    onBegin: ignored,
    onError: ignored,
  });
  await until('a change stream', () => Promise.resolve(hasOpenedChangeStream()));
  await watch.close();
  await connection.close();
});

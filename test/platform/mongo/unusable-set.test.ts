import { mkdtemp, rm } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { spawnMongod } from '../../../src/platform/mongod/mongod-process.js';
import { chooseFreePort } from '../../support/free-port.js';
import { testMongod } from '../../support/mongod.js';
import { until } from '../../support/until.js';

/** What the start says of a MongoDB that runs, and whose replica set is not the one that the gateway expects. */
let folder: string;
let host: string;
let mongod: Awaited<ReturnType<typeof spawnMongod>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-set-'));
  host = `127.0.0.1:${await chooseFreePort()}`;
  mongod = await spawnMongod(
    await testMongod(),
    [
      ...[
        '--dbpath',
        folder,
        '--bind_ip',
        '127.0.0.1',
        '--port',
        host.split(':')[1] ?? '',
        '--replSet',
        'rs0',
      ],
      ...['--nounixsocket', '--logpath', join(folder, 'mongod.log')],
    ],
    join(folder, 'output.log'),
  );
});
afterAll(async () => {
  await mongod.stop();
  await rm(folder, { recursive: true });
});

async function failureAt(query: string): Promise<string> {
  const uri = `mongodb://${host}/pets${query}`;
  const opened = connectMongo({ uri, defaultDatabase: 'x', databaseSuffix: '', selectionTimeoutMs: 1000 });
  return opened.then(
    async (connection) => {
      await connection.close();
      return 'connected';
    },
    (error: unknown) => (error as Error).message,
  );
}

test('a replica set that is not initiated, and one of another name', async () => {
  const client = new mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
    runtimeAdapters: { os },
  });
  try {
    await until('mongod to listen', () => client.connect().catch(() => undefined));
    const start = `cannot connect to MongoDB at mongodb://${host}/pets`;
    const notInitiated =
      'MongoDB runs there, but its replica set is not initiated. Run rs.initiate() once in mongosh.';
    for (const query of ['', '?replicaSet=rs0', '?directConnection=true'])
      expect(await failureAt(query)).toBe(`${start}${query}: ${notInitiated}`);

    const admin = client.db('admin');
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
    await until(
      'mongod to take writes',
      async () => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true,
    );
    expect(await failureAt('?replicaSet=rs9')).toBe(
      `${start}?replicaSet=rs9: MongoDB runs there, but it is no member of the replica set rs9. ` +
        'Correct replicaSet in MONGODB_URI: in mongosh, rs.status().set has the name.',
    );
    expect(await failureAt('?replicaSet=rs0')).toBe('connected');
  } finally {
    await client.close();
  }
});

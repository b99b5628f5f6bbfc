import os from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { connectionUri, readConnection } from '../../src/platform/mongod/mongod-connection.js';
import { failGatewayProcess, startGatewayProcess } from '../support/gateway-process.js';
import { isRunning } from '../support/is-running.js';
import { AMPLE } from '../support/rest-client.js';
import { until } from '../support/until.js';
import { issueKey } from './issue-key.js';
import { openLedger } from './ledger.js';
import { startReplicaSet } from './replica-set.js';
import { mountSmallDisk, type SmallDisk } from './small-disk.js';

/** mongod alone takes 300 MB for its journal. */
const DISK_MB = 450;
/** 10 s as docs/reliability.md promises, and what a busy machine adds. */
const LONGEST_ANSWER_MS = 12_000;
const ADMIN_SECRET = 'the-admin-secret-of-this-test';

let disk: SmallDisk;
beforeEach(async () => {
  disk = await mountSmallDisk(DISK_MB);
});
afterEach(() => disk.remove());

/** MongoDB writes its files once a minute, with this at once: then it finds that the disk is full, and ends. */
async function writeFiles(uri: string): Promise<void> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5000, runtimeAdapters: { os } });
  // Answered, if at all, by the end of the connection.
  await client
    .db('admin')
    .command({ fsync: 1 })
    .catch(() => undefined);
  await client.close();
}

test('with a full MongoDB disk: 503 until there is room, then everything acknowledged is there', async () => {
  const replicaSet = await startReplicaSet({ members: 1, folder: disk.folder });
  try {
    const gateway = await startGatewayProcess({ MONGODB_URI: replicaSet.uri });
    try {
      const { secret } = await issueKey(replicaSet, AMPLE);
      const ledger = openLedger({ url: gateway.url, secret });
      await until('load', () => Promise.resolve(ledger.acknowledged() > 50));
      const [mongod] = replicaSet.members;
      if (mongod === undefined) throw new Error('there is one member');

      await disk.fill();
      await writeFiles(replicaSet.uri);
      await mongod.exited();
      const health = (path: string) => fetch(`${gateway.url}/health/${path}`);
      await until('readiness to drop', async () => (await health('ready')).status === 503);
      expect((await health('live')).status).toBe(200);
      await until('answers', () => Promise.resolve('503 service_unavailable' in ledger.seen().outcomes));

      await disk.makeRoom();
      await mongod.start();
      await until('readiness', async () => (await health('ready')).ok);
      const before = ledger.acknowledged();
      await until('load to go on', () => Promise.resolve(ledger.acknowledged() > before + 50));
      await ledger.settle();
      const database = await connectMongo({
        uri: replicaSet.uri,
        defaultDatabase: '',
        databaseSuffix: '',
        selectionTimeoutMs: 5000,
      });
      await ledger.expectKept('disk full', database, LONGEST_ANSWER_MS).finally(() => database.close());
    } finally {
      expect(await gateway.stop()).toBe(0);
    }
  } finally {
    await replicaSet.close();
  }
});

test('with a full disk of the embedded MongoDB, the gateway stops with a message, and starts again once there is room', async () => {
  const dataDir = join(disk.folder, 'data');
  const env = { DATA_DIR: dataDir, ADMIN_API_KEY: ADMIN_SECRET, SEED_DEMO: '0' };
  const headers = { authorization: `Bearer ${ADMIN_SECRET}` };
  const gateway = await startGatewayProcess(env);
  const made = await fetch(`${gateway.url}/v1/pets`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
  });
  expect(made.status).toBe(201);

  const mongod = await readConnection(dataDir);
  if (mongod === undefined) throw new Error('no connection was written');
  await disk.fill();
  await writeFiles(connectionUri(mongod));
  await until('the gateway to end', () => Promise.resolve(!isRunning(gateway.pid)));
  expect(await gateway.stop()).toBe(1);
  const isFull = `the disk of ${dataDir} is full`;
  expect(gateway.output()).toContain(isFull);

  const refused = await failGatewayProcess({ ...env, PORT: '0' });
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/no space left|full/i);

  await disk.makeRoom();
  const again = await startGatewayProcess(env);
  const pets = await fetch(`${again.url}/v1/pets`, { headers });
  expect(await pets.json()).toEqual([await made.json()]);
  expect(await again.stop()).toBe(0);
});

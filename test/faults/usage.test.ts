import type { Connection } from 'mongoose';
import { copyKey } from '../../bench/targets/copy-key.js';
import { API_KEYS_COLLECTION, type ApiKeyDocument } from '../../src/features/keys/mongo-api-key-document.js';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { mongoUriThrough } from '../support/mongo-uri-through.js';
import { AMPLE } from '../support/rest-client.js';
import { startToxiproxy, type Toxiproxy } from '../support/toxiproxy.js';
import { until } from '../support/until.js';
import { command, issueKey } from './issue-key.js';

const database = freshDatabase();
const started: GatewayProcess[] = [];
let connection: Connection;
let toxiproxy: Toxiproxy;

beforeAll(async () => {
  toxiproxy = await startToxiproxy();
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
});
afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.stop()));
  await toxiproxy.close();
  await connection.close();
  await database.drop();
});

async function start(uri: string): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ MONGODB_URI: uri });
  started.push(gateway);
  return gateway;
}

async function ask({ url }: GatewayProcess, secret: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` };
  for (let i = 0; i < count; i++)
    expect((await fetch(`${url}/v1/pets?limit=1`, { headers })).status).toBe(200);
}

/** As the database has it, past every fault. */
async function written(keyId: string): Promise<number> {
  const days = await connection
    .collection<{ groups: Record<string, { requests: number }> }>('usage')
    .find({ of: keyId })
    .toArray();
  return days.flatMap(({ groups }) => Object.values(groups)).reduce((sum, { requests }) => sum + requests, 0);
}

test('a write that MongoDB did but could not confirm is not counted twice', async () => {
  const wire = await toxiproxy.wireTo(Number(new URL(database.uri).port));
  const gateway = await start(mongoUriThrough(database.uri, wire.port));
  // Units of a key with this limit are not counted in advance: their return would hold the connection on which the usage goes.
  const { id, secret } = await issueKey(database, { ...AMPLE, requestsPerMinute: 5000 });
  await ask(gateway, secret, 30);
  await wire.spoil({ type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } });
  await until('the counts', async () => (await written(id)) === 30);
  await until('the gateway to give up', () =>
    Promise.resolve(gateway.output().includes('Could not save usage')),
  );
  await wire.restore();
  await until('the gateway', () => fetch(`${gateway.url}/health/ready`).then(({ ok }) => ok));
  await ask(gateway, secret, 5);
  expect(await gateway.stop()).toBe(0);
  expect(await written(id)).toBe(35);
});

test('a killed gateway loses at most the last 5 s of usage; a stopped gateway loses nothing', async () => {
  const killed = await start(database.uri);
  const { id, secret } = await issueKey(database, AMPLE);
  await ask(killed, secret, 20);
  await until('the counts', async () => (await written(id)) === 20);
  await ask(killed, secret, 7);
  await killed.stop('SIGKILL');
  const kept = await written(id);
  expect(kept).toBeGreaterThanOrEqual(20);
  expect(kept).toBeLessThanOrEqual(27);
  const next = await start(database.uri);
  await ask(next, secret, 3);
  expect(await next.stop()).toBe(0);
  expect(await written(id)).toBe(kept + 3);
});

test('the last uses of 1,000 keys outlive their gateways, killed or stopped, and are counted once', async () => {
  const { id, secret } = await issueKey(database, AMPLE);
  const keys = connection.collection<ApiKeyDocument>(API_KEYS_COLLECTION);
  const key = await keys.findOne({ _id: id });
  if (key === null) throw new Error('the key is not there');
  const copies = Array.from({ length: 999 }, () => copyKey(key));
  await keys.insertMany(copies.map(({ copy }) => copy));
  const secrets = [secret, ...copies.map((copy) => copy.secret)];
  const askEach = async (gateway: GatewayProcess) => {
    for (let i = 0; i < secrets.length; i += 50)
      await Promise.all(secrets.slice(i, i + 50).map((each) => ask(gateway, each, 1)));
  };
  const shown = () =>
    command<{ lastUsedAt: string | null; requestsToday: number }>(database, 'keys', 'show', id);
  const storedUse = async () => (await keys.findOne({ _id: id }))?.lastUsedAt;

  const [killed, stopped] = await Promise.all([start(database.uri), start(database.uri)]);
  await askEach(killed);
  await until('the first use', async () => (await shown()).lastUsedAt !== null);
  const first = await shown();
  expect(first.requestsToday).toBe(1);
  // It waits outside the key, as more keys were used than are written at once.
  expect(await storedUse()).toBeUndefined();
  await killed.stop('SIGKILL');
  expect(await shown()).toEqual(first);

  await askEach(stopped);
  expect(await stopped.stop()).toBe(0);
  const second = await shown();
  expect(Date.parse(second.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(first.lastUsedAt ?? ''));
  expect(second.requestsToday).toBe(2);

  // Few keys in use: their own documents change at once, and show nothing older than what waits.
  const next = await start(database.uri);
  expect(await shown()).toEqual(second);
  await ask(next, secret, 1);
  await until('the third use', async () => (await shown()).requestsToday === 3);
  expect((await storedUse())?.toISOString()).toBe((await shown()).lastUsedAt);
});

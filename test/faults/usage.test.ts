import type { Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { mongoUriThrough } from '../support/mongo-uri-through.js';
import { AMPLE } from '../support/rest-client.js';
import { startToxiproxy, type Toxiproxy } from '../support/toxiproxy.js';
import { until } from '../support/until.js';
import { issueKey } from './issue-key.js';

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

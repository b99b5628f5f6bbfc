import type { Connection } from 'mongoose';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { startWire, type SilentWire } from '../../support/wire.js';
import { until } from '../../support/until.js';
import { createSecret } from '../../../src/features/keys/secret.js';

/** Many keys that one process sees for the first time, and what MongoDB is asked for them. */
const KEYS = 30;
let here: TestGateway & { databaseName: string };
/** It has seen none of the keys, and its way to MongoDB can be held. */
let there: TestGateway;
let wire: SilentWire;
let raw: Connection;
let projectId: string;
let secrets: string[];

beforeAll(async () => {
  here = await startGateway();
  const server = process.env['TEST_MONGODB_URI'] ?? '';
  wire = await startWire(server);
  process.env['TEST_MONGODB_URI'] = wire.uri;
  there = await startGateway({ beside: here }).finally(() => (process.env['TEST_MONGODB_URI'] = server));
  raw = await rawDatabase(here);
  const project = await here.services.projects.create({ name: 'Many keys', plan: 'enterprise', customQuota });
  projectId = project.id;
  const made = await Promise.all(
    Array.from({ length: KEYS }, (_, i) => here.services.apiKeys.create({ name: `Key ${i}`, projectId })),
  );
  secrets = made.map(({ secret }) => secret);
  await until('to hear', async () => (await there.services.readiness()).checks['keyChanges'] === 'ok');
});
afterAll(async () => {
  await raw.close();
  await there.close();
  wire.close();
  await here.close();
});

const customQuota = { requestsPerMinute: 100_000, requestsPerDay: 1_000_000 };

/** How many queries of keys MongoDB was asked since it began to record, and how many keys they found. */
async function lookups(): Promise<{ queries: number; found: number }> {
  const entries = await raw.collection('system.profile').find().toArray();
  return {
    queries: entries.length,
    found: entries.reduce((sum, { nreturned }) => sum + Number(nreturned), 0),
  };
}
const statusesOf = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await there.request('/v1/pets', { key })).status));

test('keys that are first seen together share a few queries', async () => {
  // The profile has room for few entries.
  const filter = { ns: `${here.databaseName}.apiKeys`, 'command.aggregate': 'apiKeys' };
  await raw.db?.command({ profile: 1, filter });
  wire.hold();
  const answers = statusesOf(secrets);
  await until('all requests to wait', () => Promise.resolve(there.services.load.state().inFlight === KEYS));
  wire.release();
  expect(new Set(await answers)).toEqual(new Set([200]));
  await raw.db?.command({ profile: 0 });
  const { queries, found } = await lookups();
  expect(found).toBe(KEYS);
  expect(queries).toBeLessThan(KEYS / 4);
});

test('unknown keys are rejected beside valid ones, whose lookup they share', async () => {
  const unknown = createSecret('production');
  const { secret, apiKey } = await here.keyOn('free');
  expect(await statusesOf([unknown, secret, unknown, createSecret('production')])).toEqual([
    401, 200, 401, 401,
  ]);
  await here.services.apiKeys.revoke(apiKey.id);
  await until('the key to be rejected', async () => (await statusesOf([secret]))[0] === 401);
});

test('a revoked key is rejected, and the other keys of its project go on', async () => {
  const [revoked, ...others] = await Promise.all(
    ['Revoked', 'Kept', 'Kept too'].map((name) => here.services.apiKeys.create({ name, projectId })),
  );
  const keys = [revoked, ...others].map((made) => made?.secret ?? '');
  expect(await statusesOf(keys)).toEqual([200, 200, 200]);
  await here.services.apiKeys.revoke(revoked?.apiKey.id ?? '');
  await until('the key to be rejected', async () => (await statusesOf(keys))[0] === 401);
  expect(await statusesOf(keys)).toEqual([401, 200, 200]);
});

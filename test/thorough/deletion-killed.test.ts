import type { Connection } from 'mongoose';
import { LEASE_MS, SETTLED_MS } from '../../src/features/administration/removals.js';
import { collectionsWith } from '../features/administration/collections-with.js';
import { freshDatabase } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';
import { until } from '../support/until.js';

const ADMIN = 'an-admin-key-of-my-own-choosing';
const KEYS = 3000;
const DAYS = 40_000;

const database = freshDatabase();
let raw: Connection;
/** Goes on where the killed one was; its clock is ahead, so that nobody has to wait for a lease. */
let other: Awaited<ReturnType<typeof startGateway>>;
let aheadMs = 0;
beforeAll(async () => {
  raw = await rawDatabase({ databaseName: database.dbName });
  other = await startGateway({
    beside: { databaseName: database.dbName },
    clock: () => Date.now() + aheadMs,
  });
});
afterAll(async () => {
  await other.close();
  await raw.close();
  await database.drop();
});

/** So much that its removal takes a while. */
async function largeProject(name: string): Promise<string> {
  const { id } = await other.services.projects.create({ name });
  const { apiKey } = await other.services.apiKeys.create({ name: 'one', projectId: id });
  const one = await raw.collection<{ _id: string }>('apiKeys').findOne({ _id: apiKey.id });
  const keys = Array.from({ length: KEYS }, (_, i) => ({
    ...one,
    _id: `${apiKey.id}${i}`,
    secrets: [{ hash: `${apiKey.id}${i}`, start: 'x' }],
  }));
  await raw.collection<{ _id: string }>('apiKeys').insertMany(keys);
  const days = Array.from({ length: DAYS }, (_, i) => ({
    _id: `${id} ${i}` as never,
    of: 'x',
    projectId: id,
    day: 'x',
  }));
  await raw.collection('usage').insertMany(days);
  return id;
}

const count = (collection: string, projectId: string) =>
  raw.collection(collection).countDocuments({ projectId });

test.each([
  ['at once', () => Promise.resolve(true)],
  ['amid the keys', async (id: string) => (await count('apiKeys', id)) <= KEYS / 2],
  ['amid the usage', async (id: string) => (await count('usage', id)) < DAYS],
])('kill -9 %s: another gateway removes the rest, and nothing of anybody else', async (moment, isReached) => {
  const kept = await largeProject(`kept ${moment}`);
  const id = await largeProject(moment);
  const gateway = await startGatewayProcess({ MONGODB_URI: database.uri, ADMIN_API_KEY: ADMIN });
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'mutation ($input: DeleteProjectInput!) { deleteProject(input: $input) { projectId } }',
      variables: { input: { projectId: id, name: moment } },
    }),
  });
  expect(await answer.json()).toMatchObject({ data: { deleteProject: { projectId: id } } });
  await until(moment, () => isReached(id));
  await gateway.stop('SIGKILL');
  expect(await count('usage', id)).toBeGreaterThan(0);

  aheadMs += LEASE_MS;
  await other.services.removals.removeDue();
  aheadMs += SETTLED_MS;
  await other.services.removals.removeDue();
  expect(await collectionsWith(raw, [id])).toEqual(['audit', 'slugs']);
  expect([await count('apiKeys', kept), await count('usage', kept)]).toEqual([KEYS + 1, DAYS]);
});

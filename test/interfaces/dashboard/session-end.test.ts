import { hashSecret } from '../../../src/features/keys/secret.js';
import { hashToken } from '../../../src/features/keys/sessions/session-token.js';
import { askGraphQL, dataOf } from '../graphql/client.js';
import { freezeDate, moveDateBy, NOON, releaseDate } from '../../support/fake-date.js';
import { startGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';
import { dashboardClient, refusalOf, type SessionBody } from './client.js';

/** When a session is over: by time, with its key, and on every node at once. */
const ADMIN_API_KEY = 'configured-admin-key-of-this-test';
const HOUR_MS = 3_600_000;

let here: Awaited<ReturnType<typeof startGateway>>;
/** Another node on the same database. What it has cached would live for an hour: it has to hear of a change. */
let there: Awaited<ReturnType<typeof startGateway>>;
let client: ReturnType<typeof dashboardClient>;
/** The host is what the cookie belongs to: the nodes share it, as behind a proxy. */
let clientThere: ReturnType<typeof dashboardClient>;
beforeAll(async () => {
  const env = { ADMIN_API_KEY, KEY_CACHE_TTL_SECONDS: '3600' };
  here = await startGateway({ env });
  there = await startGateway({ env, beside: here });
  client = dashboardClient(here, { host: 'localhost' });
  clientThere = dashboardClient(there, { host: 'localhost' });
  for (const node of [here, there])
    await until(
      'a healthy change stream',
      async () => (await node.services.readiness()).checks['keyChanges'] === 'ok',
    );
});
afterAll(async () => {
  await there.close();
  await here.close();
});
afterEach(releaseDate);

const ownerKey = () => here.keyOn('pro', undefined, { name: 'Owner', role: 'owner' });
const administration = () => here.services.administration({ role: 'command line' });
type Session = Awaited<ReturnType<typeof client.enter>>;
const whoThere = ({ cookie }: Session) => clientThere.send('GET', '/dashboard/session', { cookie });
const graphqlThere = ({ headers }: Session) =>
  clientThere.send('POST', '/graphql', headers, '{"query":"{ __typename }"}');

describe('by time', () => {
  beforeEach(() => freezeDate(NOON));

  test('two hours after the last request', async () => {
    const { secret } = await ownerKey();
    const session = await client.enter(secret);
    moveDateBy(2 * HOUR_MS - 1);
    expect((await session.graphql('{ __typename }')).status).toBe(200);
    moveDateBy(2 * HOUR_MS - 1);
    expect((await session.who()).status).toBe(200);
    moveDateBy(2 * HOUR_MS);
    expect(refusalOf(await session.graphql('{ __typename }'))).toEqual([401, 'invalid_api_key']);
    expect(refusalOf(await session.who())).toEqual([401, 'invalid_api_key']);
  });

  test('a session in use is written once a minute, not with each request', async () => {
    const session = await client.enter((await ownerKey()).secret);
    const database = await rawDatabase(here);
    const expiresAfter = async (ms: number) => {
      moveDateBy(ms);
      expect((await session.who()).status).toBe(200);
      const _id = hashToken(session.cookie.split('=')[1] ?? '') as never;
      const stored = await database.collection('sessions').findOne({ _id });
      return (stored?.['expiresAt'] as Date).getTime() - NOON;
    };
    try {
      expect(await expiresAfter(59_999)).toBe(2 * HOUR_MS);
      expect(await expiresAfter(1)).toBe(2 * HOUR_MS + 60_000);
      expect(await expiresAfter(1)).toBe(2 * HOUR_MS + 60_000);
    } finally {
      await database.close();
    }
  });

  test('twelve hours after signing in, however much it is used', async () => {
    const session = await client.enter((await ownerKey()).secret);
    const { expiresAt } = JSON.parse((await session.who()).text) as SessionBody;
    expect(expiresAt).toBe(new Date(NOON + 12 * HOUR_MS).toISOString());
    for (let hour = 1; hour < 12; hour++) {
      moveDateBy(HOUR_MS);
      const { status, text } = await session.who();
      expect([status, (JSON.parse(text) as SessionBody).expiresAt]).toEqual([200, expiresAt]);
    }
    moveDateBy(HOUR_MS - 1);
    expect((await session.who()).status).toBe(200);
    moveDateBy(1);
    expect((await session.who()).status).toBe(401);
  });

  test('with its key’s own expiry', async () => {
    const { secret } = await here.keyOn('pro', undefined, {
      role: 'owner',
      expiresAt: new Date(NOON + HOUR_MS),
    });
    const session = await client.enter(secret);
    moveDateBy(HOUR_MS - 1);
    expect((await session.who()).status).toBe(200);
    moveDateBy(1);
    expect(refusalOf(await session.who())).toEqual([401, 'invalid_api_key']);
  });

  test('once the secret that it was opened with is rotated out', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    const { secret: next } = await administration().rotateApiKey(apiKey.id, 3600);
    const sessionOfNext = await client.enter(next);
    moveDateBy(HOUR_MS - 1);
    expect((await session.who()).status).toBe(200);
    moveDateBy(1);
    expect((await session.who()).status).toBe(401);
    expect((await sessionOfNext.who()).status).toBe(200);
  });
});

describe('with its key, on this node at the next request and on the other when it has heard', () => {
  test('a key that is revoked, by its own session', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    expect((await graphqlThere(session)).status).toBe(200);
    const revoke = `mutation { revokeApiKey(input: { id: "${apiKey.id}" }) { apiKey { id } } }`;
    expect((await session.graphql(revoke)).status).toBe(200);
    expect(refusalOf(await session.who())).toEqual([401, 'invalid_api_key']);
    expect(refusalOf(await session.graphql('{ __typename }'))).toEqual([401, 'invalid_api_key']);
    await until('the other node to hear', async () => (await graphqlThere(session)).status === 401);
  });

  test('a plan that is changed is in force for its sessions', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    await administration().changePlan(apiKey.projectId ?? '', 'business');
    const { text } = await session.graphql('{ quota { plan { id } windows { limit } } }');
    expect(JSON.parse(text)).toMatchObject({
      data: { quota: { plan: { id: 'business' }, windows: [{ limit: 1000 }, { limit: 100_000 }] } },
    });
  });

  test('a role that no longer signs in', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    // Nothing of ours changes a role; what another version or a person at the database does has to hold.
    const database = await rawDatabase(here);
    await database
      .collection('apiKeys')
      .updateOne({ _id: apiKey.id as never }, { $set: { role: 'server' }, $inc: { revision: 1 } });
    await database.close();
    await until('the change to be heard of', async () => (await session.who()).status === 401);
    expect((await session.graphql('{ __typename }')).status).toBe(401);
  });

  test('the configured admin key, on a node that has another', async () => {
    const session = await client.enter(ADMIN_API_KEY);
    const other = await startGateway({
      env: { ADMIN_API_KEY: 'the-next-configured-admin-key' },
      beside: here,
    });
    try {
      const { cookie } = session;
      const at = dashboardClient(other, { host: 'localhost' });
      expect(refusalOf(await at.send('GET', '/dashboard/session', { cookie }))).toEqual([
        401,
        'invalid_api_key',
      ]);
      expect((await session.who()).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

test('a session is one of all nodes, and signing out on one ends it on the other at once', async () => {
  const session = await client.enter(ADMIN_API_KEY);
  expect(JSON.parse((await whoThere(session)).text)).toMatchObject({ csrfToken: session.csrfToken });
  expect((await graphqlThere(session)).status).toBe(200);
  expect((await session.leave()).status).toBe(204);
  expect((await whoThere(session)).status).toBe(401);
  expect((await graphqlThere(session)).status).toBe(401);
});

test('signed out many times at once, it is one sign-out in the audit log', async () => {
  const { secret } = await ownerKey();
  const session = await client.enter(secret);
  const answers = await Promise.all(Array.from({ length: 8 }, () => session.leave()));
  expect(answers.map(({ status }) => status).filter((status) => status !== 204 && status !== 401)).toEqual(
    [],
  );
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: { action: string } }[] } }>(
      here,
      secret,
      '{ auditLog { edges { node { action } } } }',
    ),
  );
  expect(auditLog.edges.map(({ node }) => node.action)).toEqual(['session.signOut', 'session.signIn']);
});

test('what is kept opens nothing, and MongoDB sweeps it', async () => {
  const session = await client.enter(ADMIN_API_KEY);
  const database = await rawDatabase(here);
  try {
    const sessions = database.collection('sessions');
    const text = JSON.stringify(await sessions.find().toArray());
    const [, token = ''] = session.cookie.split('=');
    for (const secret of [token, session.csrfToken, ADMIN_API_KEY, hashSecret(ADMIN_API_KEY)])
      expect(text).not.toContain(secret);
    const indexes = await sessions.indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }) as object,
    );
  } finally {
    await database.close();
  }
});

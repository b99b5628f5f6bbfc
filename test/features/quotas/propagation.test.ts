import { withoutChangeStreams, type DeafUser } from '../../support/deaf-user.js';
import { startGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** How a change made on one node reaches another. Real time is the subject. */
let here: Gateway;
/** Its change stream is healthy; what it has cached would live for an hour. */
let there: Gateway;
/** Its database user may not open a change stream: it hears what another node publishes. */
let follower: Gateway;
let followerUser: DeafUser;
/** Its database user may neither open a change stream nor read what others publish: it asks again, each second. */
let deaf: Gateway;
let deafUser: DeafUser;
let raw: Awaited<ReturnType<typeof rawDatabase>>;

beforeAll(async () => {
  here = await startGateway();
  there = await startGateway({ beside: here, env: { KEY_CACHE_TTL_SECONDS: '3600' } });
  raw = await rawDatabase(here);
  await until('a change stream', async () => (await here.services.readiness()).checks['keyChanges'] === 'ok');
  followerUser = await withoutChangeStreams(here, { mayReadChanges: true });
  follower = await followerUser.during(() =>
    startGateway({ beside: here, env: { KEY_CACHE_TTL_SECONDS: '3600' } }),
  );
  deafUser = await withoutChangeStreams(here);
  deaf = await deafUser.during(() => startGateway({ beside: here, env: { KEY_CACHE_TTL_SECONDS: '1' } }));
  for (const node of [there, follower])
    await until('to hear', async () => (await node.services.readiness()).checks['keyChanges'] === 'ok');
});
afterAll(async () => {
  await deaf.close();
  await deafUser.drop();
  await follower.close();
  await followerUser.drop();
  await raw.close();
  await there.close();
  await here.close();
});

async function ask(gateway: Gateway, key: string) {
  const { status, headers } = await gateway.request('/v1/pets', { key });
  return { status, limit: Number(headers.get('x-ratelimit-limit')) };
}

// On a healthy change stream: test/interfaces/graphql/propagation.
describe.each([
  ['hears of it without a change stream of its own', () => follower],
  ['sees it when its cached keys expire, its change stream being refused', () => deaf],
])('another node %s:', (_how, nodeOf) => {
  test('an upgrade', async () => {
    const node = nodeOf();
    const { secret, apiKey } = await here.keyOn('free');
    expect(await ask(node, secret)).toEqual({ status: 200, limit: 60 });
    await here.services.projects.changePlan(apiKey.projectId ?? '', 'pro');
    await until('the new limit', async () => (await ask(node, secret)).limit === 300);
  });

  test('a reset', async () => {
    const node = nodeOf();
    const quota = { requestsPerMinute: 1, requestsPerDay: 1 };
    const { secret, apiKey } = await here.keyOn('enterprise', quota);
    expect((await ask(node, secret)).status).toBe(200);
    expect((await ask(node, secret)).status).toBe(429);
    await here.services.apiKeys.resetQuota(apiKey.id);
    await until('a request to pass', async () => (await ask(node, secret)).status === 200);
    // Both nodes count on the same new counter.
    expect((await ask(here, secret)).status).toBe(429);
  });

  test('a revocation', async () => {
    const node = nodeOf();
    const { secret, apiKey } = await here.keyOn('free');
    expect((await ask(node, secret)).status).toBe(200);
    await here.services.apiKeys.revoke(apiKey.id);
    await until('the key to be refused', async () => (await ask(node, secret)).status === 401);
  });

  test('a rotation without overlap', async () => {
    const node = nodeOf();
    const { secret, apiKey } = await here.keyOn('free');
    expect((await ask(node, secret)).status).toBe(200);
    const rotated = await here.services.apiKeys.rotate(apiKey.id, 0);
    expect((await ask(node, rotated.secret)).status).toBe(200);
    await until('the old secret to be refused', async () => (await ask(node, secret)).status === 401);
  });
});

test('a node whose change stream is denied says so, in its log and in its readiness', async () => {
  await until('the line', () =>
    Promise.resolve(deaf.logLines.some((line) => line.includes('The change stream of API keys broke'))),
  );
  await until('readiness', async () => JSON.stringify(await deaf.services.readiness()).includes('stream'));
});

test('all nodes share one change stream', async () => {
  const streams = await until('one change stream', async () => {
    const cursors = await openChangeStreams();
    return cursors.length === 1 && cursors;
  });
  expect(streams).toHaveLength(1);
});

test('a change stream whose cursor is killed resumes, and delivers what it missed', async () => {
  const { secret, apiKey } = await here.keyOn('free');
  expect((await ask(there, secret)).status).toBe(200);
  const killed = await killChangeStreams();
  expect(killed).toBeGreaterThan(0);
  await here.services.apiKeys.revoke(apiKey.id);
  await until('the key to be refused', async () => (await ask(there, secret)).status === 401);
});

test('a dropped database ends the change stream, and the gateway keeps running', async () => {
  const gateway = await startGateway();
  const restored = await rawDatabase(gateway);
  const keyChanges = async () => (await gateway.services.readiness()).checks['keyChanges'];
  await until('a change stream', async () => (await keyChanges()) === 'ok');
  await restored.dropDatabase();
  await until('its end', async () => (await keyChanges()) !== 'ok');
  await until('another one', async () => (await keyChanges()) === 'ok');
  await restored.close();
  await gateway.close();
});

async function openChangeStreams(): Promise<bigint[]> {
  const open = await raw
    .getClient()
    .db('admin')
    .aggregate<{ ns: string; cursor?: { cursorId: bigint } }>([
      { $currentOp: { idleCursors: true, allUsers: true } },
      { $match: { 'cursor.tailable': true } },
    ])
    .toArray();
  const ids = open
    .filter(({ ns }) => ns.startsWith(`${here.databaseName}.$cmd`))
    .flatMap(({ cursor }) => cursor?.cursorId ?? []);
  return [...new Set(ids)];
}

async function killChangeStreams(): Promise<number> {
  const cursors = await openChangeStreams();
  const answer = await raw.db?.command({ killCursors: '$cmd.aggregate', cursors });
  return ((answer as { cursorsKilled: unknown[] } | undefined)?.cursorsKilled ?? []).length;
}

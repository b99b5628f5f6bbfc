import { startGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { askGraphQL, dataOf } from './client.js';

/** A change made over GraphQL, as the next request on this node sees it, and soon another node. */
type Gateway = Awaited<ReturnType<typeof startGateway>>;
let here: Gateway;
/** What it has cached would live for an hour: it has to hear of a change. */
let there: Gateway;
let admin: string;

beforeAll(async () => {
  here = await startGateway();
  there = await startGateway({ beside: here, env: { KEY_CACHE_TTL_SECONDS: '3600' } });
  ({ secret: admin } = await here.services.apiKeys.create({ name: 'Admin', role: 'admin' }));
  await until(
    'a healthy change stream',
    async () => (await there.services.readiness()).checks['keyChanges'] === 'ok',
  );
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const change = <T = unknown>(mutation: string) =>
  dataOf<T>(askGraphQL<T>(here, admin, `mutation { ${mutation} }`));
const ask = async (gateway: Gateway, key: string) => {
  const { status, headers } = await gateway.request('/v1/pets', { key });
  return { status, limit: headers.get('x-ratelimit-limit') };
};

/** Both interfaces of this node at once, the other node when it has heard. */
async function seen(key: string, expected: { status: number; limit?: string }): Promise<void> {
  expect(await ask(here, key)).toMatchObject(expected);
  expect((await askGraphQL(here, key, '{ __typename }')).http).toBe(expected.status);
  await until('the other node to see the change', async () => {
    const { status, limit } = await ask(there, key);
    return status === expected.status && (expected.limit === undefined || limit === expected.limit);
  });
}

test('a plan change', async () => {
  const { secret, apiKey } = await here.keyOn('free');
  await seen(secret, { status: 200, limit: '60' });
  const projectId = apiKey.projectId ?? '';
  await change(`changePlan(input: { projectId: "${projectId}", plan: pro }) { project { id } }`);
  await seen(secret, { status: 200, limit: '300' });
  await change(
    `changePlan(input: { projectId: "${projectId}", plan: enterprise, customQuota: { requestsPerMinute: 70, requestsPerDay: 700 } }) { project { id } }`,
  );
  await seen(secret, { status: 200, limit: '70' });
});

test('a revocation', async () => {
  const { secret, apiKey } = await here.keyOn('free');
  await seen(secret, { status: 200 });
  await change(`revokeApiKey(input: { id: "${apiKey.id}" }) { apiKey { state } }`);
  await seen(secret, { status: 401 });
});

test('a rotation without overlap', async () => {
  const { secret, apiKey } = await here.keyOn('free');
  await seen(secret, { status: 200 });
  const { rotateApiKey } = await change<{ rotateApiKey: { secret: string } }>(
    `rotateApiKey(input: { id: "${apiKey.id}", overlapSeconds: 0 }) { secret }`,
  );
  await seen(secret, { status: 401 });
  await seen(rotateApiKey.secret, { status: 200 });
});

test('the end of a ban', async () => {
  const { secret, apiKey } = await here.keyOn('free');
  const policy = { strikes: 1, strikeWindowSeconds: 1, banSeconds: 600, maxBanSeconds: 600 };
  await here.services.apiKeysStore.ban(apiKey.id, Date.now(), policy);
  await seen(secret, { status: 429 });
  await change(`liftBan(input: { apiKeyId: "${apiKey.id}" }) { quota { ban { until } } }`);
  await seen(secret, { status: 200 });
});

test('a reset', async () => {
  const quota = { requestsPerMinute: 4, requestsPerDay: 100 };
  const { secret, apiKey } = await here.keyOn('enterprise', quota);
  await askGraphQL(here, secret, '{ a: plans { id } b: plans { id } c: plans { id } d: plans { id } }');
  await seen(secret, { status: 429 });
  await change(
    `resetQuota(input: { apiKeyId: "${apiKey.id}", window: minute }) { quota { windows { used } } }`,
  );
  await seen(secret, { status: 200 });
});

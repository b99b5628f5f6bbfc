import { startGateway, useStarted, type TestGateway } from '../../support/gateway.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';
import { askGraphQL, dataOf } from './client.js';

/** What `Quota` says while Redis is down: another process counted, and this one knows only its own counts. */
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
const env = () => ({ REDIS_URL: redis.url, QUOTA_NODES: '2' });
const other = useStarted(() => startGateway({ env: env() }));
const gateway = useStarted(() => startGateway({ env: env(), beside: other }));
afterAll(() => redis.close());

// The tests end the store, in any order.
beforeEach(() =>
  until('the quota store to be used', () => {
    const stores = [other, gateway].map(({ services }) => services.keyQuotas.isStoreDown());
    return Promise.resolve(!stores.includes(true));
  }),
);

interface Shown {
  isStoreDown: boolean;
  windows: { used: number }[];
}
const QUOTA = 'isStoreDown windows { used }';

/** The same key by each way to its quota. */
async function quotasOf(asking: TestGateway, admin: string, id: string): Promise<Shown[]> {
  const { apiKey, apiKeys } = await dataOf(
    askGraphQL<{ apiKey: { quota: Shown }; apiKeys: { edges: { node: { id: string; quota: Shown } }[] } }>(
      asking,
      admin,
      `query ($id: ID!) { apiKey(id: $id) { quota { ${QUOTA} } } apiKeys { edges { node { id quota { ${QUOTA} } } } } }`,
      { id },
    ),
  );
  const listed = apiKeys.edges.find(({ node }) => node.id === id);
  if (listed === undefined) throw new Error('the list lacks the key');
  return [apiKey.quota, listed.node.quota];
}

async function ownQuota(asking: TestGateway, secret: string): Promise<Shown> {
  return (await dataOf(askGraphQL<{ quota: Shown }>(asking, secret, `{ quota { ${QUOTA} } }`))).quota;
}

test('isStoreDown is true while the counts are those of one process, and the audit log records none of them', async () => {
  const { apiKey, secret } = await gateway.keyOn('free');
  const { secret: admin } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  for (let i = 0; i < 5; i++) await (await other.request('/v1/pets', { key: secret })).text();
  for (const quota of await quotasOf(gateway, admin, apiKey.id))
    expect(quota).toEqual({ isStoreDown: false, windows: [{ used: 5 }, { used: 5 }] });
  expect((await ownQuota(other, secret)).isStoreDown).toBe(false);

  await redis.kill();
  // The process that charged the key knows what it saw last; a process that has never seen a key knows nothing.
  const fresh = await startGateway({ env: env(), beside: other });
  try {
    for (const quota of await quotasOf(fresh, admin, apiKey.id))
      expect(quota).toEqual({ isStoreDown: true, windows: [{ used: 0 }, { used: 0 }] });
    expect(await ownQuota(fresh, secret)).toEqual({ isStoreDown: true, windows: [{ used: 1 }, { used: 1 }] });

    const reset = await dataOf(
      askGraphQL<{ resetQuota: { quota: Shown }; liftBan: { quota: Shown } }>(
        fresh,
        admin,
        `mutation ($id: ID!) {
          resetQuota(input: { apiKeyId: $id }) { quota { ${QUOTA} } }
          liftBan(input: { apiKeyId: $id }) { quota { ${QUOTA} } }
        }`,
        { id: apiKey.id },
      ),
    );
    expect([reset.resetQuota.quota.isStoreDown, reset.liftBan.quota.isStoreDown]).toEqual([true, true]);
    const { auditLog } = await dataOf(
      askGraphQL<{ auditLog: object }>(
        fresh,
        admin,
        `query ($id: ID!) { auditLog(apiKeyId: $id, filter: { action: "quota.reset" }) { edges { node { changes { property before after } } } } }`,
        { id: apiKey.id },
      ),
    );
    // What the key had used, only the store knows.
    const changes = ['minuteUsed', 'dayUsed'].map((property) => ({ property, before: null, after: '0' }));
    expect(auditLog).toEqual({ edges: [{ node: { changes } }] });

    await redis.restart();
    await until('the quota store to be used again', async () =>
      (await quotasOf(fresh, admin, apiKey.id)).every(({ isStoreDown }) => !isStoreDown),
    );
    // Since the reset, only this request was counted.
    expect(await ownQuota(fresh, secret)).toEqual({
      isStoreDown: false,
      windows: [{ used: 1 }, { used: 1 }],
    });
  } finally {
    await fresh.close();
  }
});

test("a 429 of a local limit says that this gateway's share is used up", async () => {
  const quota = { requestsPerMinute: 6, requestsPerDay: 1000 };
  const { secret } = await gateway.keyOn('enterprise', quota);
  const ask = () => gateway.request('/v1/pets', { key: secret });
  await redis.kill();
  try {
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask()).status);
    expect(statuses).toEqual([200, 200, 200]);
    const refused = await ask();
    expect([refused.status, await refused.json()]).toEqual([
      429,
      expect.objectContaining({
        code: 'rate_limit_exceeded',
        message: expect.stringMatching(
          /^This gateway's share of the 6 requests per minute is used up while the quota store is down\. Retry in \d+ s\.$/,
        ) as unknown,
        details: expect.objectContaining({ window: 'minute', limit: 6, remaining: 0, cost: 1 }) as unknown,
      }),
    ]);
  } finally {
    await redis.restart();
  }
});

test('a 429 of a local limit to a request that costs more than is left says so too', async () => {
  const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 6, requestsPerDay: 1000 });
  await redis.kill();
  try {
    const { http, errors } = await askGraphQL(
      gateway,
      secret,
      '{ a: plans { id } b: plans { id } c: plans { id } d: plans { id } }',
    );
    expect(http).toBe(429);
    expect(errors?.[0]?.message).toContain(
      "This request costs 4, and 3 of this gateway's share of the 6 requests per minute are left while the quota store is down.",
    );
  } finally {
    await redis.restart();
  }
});

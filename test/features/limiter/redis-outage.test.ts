import { startGateway } from '../../support/gateway.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** As docs say: how long a request waits for the store at most; and what a busy test machine adds. */
const LONGEST_WAIT_MS = 2000;
const SLACK_MS = 30_000;

let redis: RedisServer;
let gateway: Gateway;

beforeEach(async () => {
  redis = await startRedisServer();
  gateway = await startGateway({ env: { REDIS_URL: redis.url, QUOTA_NODES: '2' } });
});
afterEach(async () => {
  redis.resume();
  try {
    await gateway.close();
  } finally {
    await redis.close();
  }
});

/** The statuses of so many requests at once, counted, and how long the slowest took. */
async function askAtOnce(key: string, count: number) {
  let slowestMs = 0;
  const statuses: Record<number, number> = {};
  const ask = async (i: number) => {
    const started = performance.now();
    const path = i % 2 === 0 ? '/v1/pets' : '/graphql?query={pets{id}}';
    const { status } = await fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${key}`, 'apollo-require-preflight': '1' },
    });
    slowestMs = Math.max(slowestMs, performance.now() - started);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
  return { statuses, slowestMs };
}
const logged = (text: string) => gateway.logLines.filter((line) => line.includes(text)).length;

describe.each<[string, () => unknown, () => unknown]>([
  ['killed with SIGKILL and started again', () => redis.kill(), () => redis.restart()],
  ['paused with SIGSTOP and resumed', () => redis.pause(), () => redis.resume()],
])('Redis %s', (_how, end, restore) => {
  test('in between half of what was left is admitted, afterwards the rest', async () => {
    const { secret, apiKey } = await gateway.keyOn('free');
    const { secret: busy } = await gateway.keyOn('free');
    const { secret: quick } = await gateway.keyOn('free');
    expect((await askAtOnce(secret, 40)).statuses).toEqual({ 200: 40 });

    await end();
    // Half of the 20 that were left: two gateways share the store. Costs of requests in both interfaces are 1.
    const first = await askAtOnce(secret, 100);
    expect(first.statuses).toEqual({ 200: 10, 429: 90 });
    expect(first.slowestMs).toBeLessThan(LONGEST_WAIT_MS + SLACK_MS);
    // The store is known to be down: nobody waits for it.
    expect((await askAtOnce(busy, 40)).statuses).toEqual({ 200: 30, 429: 10 });
    await until('an answer at once', async () => (await askAtOnce(quick, 1)).slowestMs < LONGEST_WAIT_MS / 2);
    const health = await gateway.request('/health/ready');
    expect(health.status).toBe(200);
    expect((await gateway.services.readiness()).checks['quotaStore']).toBe(
      'redis: no answer: local limits apply',
    );
    expect(gateway.services.quotaOutages()).toMatchObject({ down: true, outages: 1 });
    expect(gateway.services.quotaOutages().decidedLocally).toBeGreaterThanOrEqual(140);

    await restore();
    await until('the recovery', () => Promise.resolve(!gateway.services.quotaOutages().down));
    await until('late charges to be taken back', async () => {
      const { windows } = await gateway.services.keyQuotas.of(apiKey);
      return windows.every(({ used }) => used === 50);
    });
    expect((await askAtOnce(secret, 50)).statuses).toEqual({ 200: 10, 429: 40 });
    expect((await askAtOnce(busy, 80)).statuses).toEqual({ 200: 30, 429: 50 });
    await until(
      'readiness',
      async () => (await gateway.services.readiness()).checks['quotaStore'] === 'redis: ok',
    );
    expect([logged('local limits apply'), logged('quota store is up again')]).toEqual([1, 1]);
  });
});

test('Redis killed while requests are under way: each is answered, none with an error', async () => {
  const { secret } = await gateway.keyOn('enterprise', {
    requestsPerMinute: 100_000,
    requestsPerDay: 100_000,
  });
  const waves = Array.from({ length: 10 }, () => askAtOnce(secret, 20));
  await redis.kill();
  for (const { statuses } of await Promise.all(waves)) expect(statuses).toEqual({ 200: 20 });
});

test('a Redis that refuses writes for lack of memory counts as down, though it answers reads', async () => {
  const full = await startRedisServer({ maxmemory: '1' });
  const beside = await startGateway({ beside: gateway, env: { REDIS_URL: full.url, QUOTA_NODES: '2' } });
  try {
    const { secret } = await gateway.keyOn('free');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => beside.request('/v1/pets', { key: secret })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    expect((await beside.services.readiness()).checks['quotaStore']).toMatch(
      /^redis: OOM command not allowed when used memory > 'maxmemory'.*: local limits apply$/,
    );
  } finally {
    await beside.close();
    await full.close();
  }
});

import { startGateway } from '../../support/gateway.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { chooseFreePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { statusesOf } from '../../support/statuses-of.js';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** A gateway that counts in Redis, as its clients and its operators see it. */
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(() => redis.close());

/** Requests of one key do not take turns: on a busy machine hundreds of them would wait too long, and get 503. */
const NO_TURNS = { MAX_REQUESTS_IN_FLIGHT_PER_KEY: '0' };

async function withGateway(env: Record<string, string>, run: (gateway: Gateway) => Promise<void>) {
  const gateway = await startGateway({ env: { ...NO_TURNS, ...env } });
  try {
    await run(gateway);
  } finally {
    await gateway.close();
  }
}
const warnings = ({ logLines }: Gateway) => logLines.filter((line) => line.includes('"level":40'));

test('200 requests at once on a Free key: exactly 60 are admitted', () =>
  withGateway({ REDIS_URL: redis.url }, async (gateway) => {
    const { secret, apiKey } = await gateway.keyOn('free');
    const statuses = await statusesOf(gateway, secret, 200);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(140);
    const { windows } = await gateway.services.keyQuotas.of(apiKey);
    expect(windows.map(({ used }) => used)).toEqual([60, 60]);
  }));

test('two gateways on one Redis admit the limit together', () =>
  withGateway({ REDIS_URL: redis.url }, async (here) => {
    const there = await startGateway({ beside: here, env: { ...NO_TURNS, REDIS_URL: redis.url } });
    try {
      const { secret } = await here.keyOn('free');
      const statuses = await Promise.all([here, there].map((each) => statusesOf(each, secret, 100)));
      expect(statuses.flat().filter((status) => status === 200)).toHaveLength(60);
    } finally {
      await there.close();
    }
  }));

test('counts outlive the gateway', () =>
  withGateway({ REDIS_URL: redis.url }, async (first) => {
    const { secret } = await first.keyOn('free');
    await statusesOf(first, secret, 50);
    const second = await startGateway({ beside: first, env: { ...NO_TURNS, REDIS_URL: redis.url } });
    try {
      const statuses = await statusesOf(second, secret, 20);
      expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    } finally {
      await second.close();
    }
  }));

test('readiness names the store', async () => {
  await withGateway({ REDIS_URL: redis.url }, async ({ services }) => {
    expect(await services.readiness()).toMatchObject({ ready: true, checks: { quotaStore: 'redis: ok' } });
  });
  await withGateway({}, async ({ services }) => {
    expect(await services.readiness()).toMatchObject({ ready: true, checks: { quotaStore: 'mongodb: ok' } });
  });
});

test('a Redis that is set up well is not warned about, and its password is nowhere in the log', async () => {
  const guarded = await startRedisServer({ requirepass: 'redis-secret' });
  try {
    await withGateway({ REDIS_URL: guarded.url }, async (gateway) => {
      const { secret } = await gateway.keyOn('free');
      expect(await statusesOf(gateway, secret, 1)).toEqual([200]);
      expect(warnings(gateway)).toEqual([]);
      await guarded.kill();
      expect(await statusesOf(gateway, secret, 1)).toEqual([200]);
      expect(gateway.logLines.join('')).not.toContain('redis-secret');
    });
  } finally {
    await guarded.close();
  }
});

test('a Redis that may lose counts is warned about once', async () => {
  const careless = await startRedisServer({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
  try {
    await withGateway({ REDIS_URL: careless.url }, (gateway) => {
      expect(warnings(gateway)).toEqual([
        expect.stringContaining('appendonly'),
        expect.stringContaining('maxmemory-policy'),
      ]);
      return Promise.resolve();
    });
  } finally {
    await careless.close();
  }
});

test('a Redis that is down at the start: local limits until it is there, then the rest and its warnings', async () => {
  const port = await chooseFreePort();
  const env = { REDIS_URL: `redis://127.0.0.1:${port}`, QUOTA_NODES: '2' };
  await withGateway(env, async (gateway) => {
    const { secret } = await gateway.keyOn('free');
    const before = await statusesOf(gateway, secret, 60);
    expect(before.filter((status) => status === 200)).toHaveLength(30);
    expect(before.filter((status) => status === 429)).toHaveLength(30);
    expect((await gateway.services.readiness()).checks).toMatchObject({
      quotaStore: 'redis: no answer: local limits apply',
    });

    const late = await startRedisServer({ port: String(port), appendonly: 'no' });
    try {
      await until('the recovery', () => Promise.resolve(!gateway.services.quotaOutages().down));
      const after = await statusesOf(gateway, secret, 70);
      expect(after.filter((status) => status === 200)).toHaveLength(30);
      expect(warnings(gateway).filter((line) => line.includes('appendonly'))).toHaveLength(1);
    } finally {
      await late.close();
    }
  });
});

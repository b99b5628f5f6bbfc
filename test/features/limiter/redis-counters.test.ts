import { Redis } from 'ioredis';
import { createLogger } from '../../../src/lib/logger.js';
import type { StoredCounters } from '../../../src/features/limiter/counters.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import { createRedisCounters } from '../../../src/features/limiter/redis-counters.js';
import { connectRedis, type RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';

/** What stands in Redis, on the time of Redis. What a limiter makes of it: limiter-over-redis.test.ts. */
let server: RedisServer;
let connection: RedisConnection;
let counters: StoredCounters;
let raw: Redis;

beforeAll(async () => {
  server = await startRedisServer();
  connection = await connectRedis(server.url, createLogger({ level: 'silent', pretty: false }));
  counters = createRedisCounters(connection.client, () => Date.now());
  raw = new Redis(server.url);
});
afterAll(async () => {
  raw.disconnect();
  await connection.close();
  await server.close();
});

test('a counter is one key, with the hash tag of its API key, kept for whole seconds', async () => {
  const { units, expiresAtMs } = await counters.add('{key_a}:minute:0', 60, 7, 3_599_001);
  expect(units).toBe(7);
  expect(expiresAtMs - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect(expiresAtMs - Date.now()).toBeGreaterThan(3_300_000);
  expect(await raw.get('quota:{key_a}:minute:0')).toBe('7');
  expect(await raw.pttl('quota:{key_a}:minute:0')).toBeGreaterThan(3_300_000);
});

test('a later charge does not change its lifetime, whatever the limit', async () => {
  await counters.add('later', 60, 1, 3_600_000);
  await raw.pexpire('quota:later', 1_800_000);
  expect((await counters.add('later', 300, 1, 3_600_000)).units).toBe(2);
  expect(await raw.pttl('quota:later')).toBeLessThanOrEqual(1_800_000);
});

test('Redis removes it when it has expired', async () => {
  await counters.add('short', 60, 5, 1000);
  await until('the end of the counter', async () => (await raw.exists('quota:short')) === 0);
  expect(await counters.getMany(['short'])).toEqual([undefined]);
  expect((await counters.add('short', 60, 1, 60_000)).units).toBe(1);
});

test('removes the counters of deleted keys, and no others', async () => {
  for (const key of ['{gone}:minute:0', '{gone}:day:0', '{stays}:minute:0'])
    await counters.add(key, 60, 1, 60_000);
  await counters.remove(['{gone}:minute:0', '{gone}:day:0', '{gone}:day:1']);
  expect(await raw.keys('quota:{gone}*')).toEqual([]);
  expect(await raw.get('quota:{stays}:minute:0')).toBe('1');
});

describe('a refund', () => {
  test('lowers its counter', async () => {
    const { expiresAtMs } = await counters.add('meant', 60, 5, 3_600_000);
    await counters.refund('meant', 2, expiresAtMs);
    expect(await raw.get('quota:meant')).toBe('3');
    expect(await raw.pttl('quota:meant')).toBeGreaterThan(3_300_000);
  });

  test('does not change another counter under the same key', async () => {
    const { expiresAtMs } = await counters.add('next', 60, 5, 60_000);
    await raw.del('quota:next');
    await counters.add('next', 60, 5, 3_600_000);
    await counters.refund('next', 2, expiresAtMs);
    expect(await raw.get('quota:next')).toBe('5');
  });

  test('creates no counter', async () => {
    await counters.refund('nothing', 5, Date.now() + 60_000);
    expect(await raw.exists('quota:nothing')).toBe(0);
  });

  test('stops at zero', async () => {
    const { expiresAtMs } = await counters.add('low', 60, 5, 60_000);
    await counters.refund('low', 6, expiresAtMs);
    expect(await raw.get('quota:low')).toBe('5');
  });
});

test('hundreds of counters are read in their order, sent at once', async () => {
  const keys = Array.from({ length: 300 }, (_, i) => `{key_${i}}:day:0`);
  await Promise.all(keys.map((key, i) => counters.add(key, 1000, i + 1, 60_000)));
  const found = await counters.getMany([...keys, 'unknown'].reverse());
  expect(found.map((count) => count?.units)).toEqual([undefined, ...keys.map((_, i) => 300 - i)]);
});

test('counts survive kill -9; until Redis is back, every call fails at once', async () => {
  await counters.add('kept', 60, 42, 3_600_000);
  await server.kill();
  await until('the loss to be seen', () => Promise.resolve(connection.client.status !== 'ready'));
  const refused = expect.any(QuotaStoreError) as unknown;
  await expect(counters.add('kept', 60, 1, 60_000)).rejects.toEqual(refused);
  await expect(counters.refund('kept', 1, Date.now() + 60_000)).rejects.toEqual(refused);
  await until('a call that fails at once', async () => {
    const startedMs = performance.now();
    await expect(counters.getMany(['kept'])).rejects.toEqual(refused);
    return performance.now() - startedMs < 500;
  });
  await server.restart();
  await until('the connection', () => Promise.resolve(connection.client.status === 'ready'));
  expect(await counters.getMany(['kept'])).toMatchObject([{ units: 42 }]);
});

test('works on a Redis Cluster', async () => {
  const node = await startRedisServer({ 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1' });
  const setUp = new Redis(node.url);
  await setUp.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await until('the cluster', async () => (await setUp.cluster('INFO')).includes('cluster_state:ok'));
  const cluster = new Redis.Cluster([{ host: '127.0.0.1', port: node.port }]);
  try {
    await until('the connection', () => Promise.resolve(cluster.status === 'ready'));
    const onCluster = createRedisCounters(cluster, () => Date.now());
    const { expiresAtMs } = await onCluster.add('{a}:minute:0', 60, 5, 60_000);
    await onCluster.add('{b}:minute:0', 60, 7, 60_000);
    await onCluster.refund('{a}:minute:0', 2, expiresAtMs);
    const found = await onCluster.getMany(['{a}:minute:0', '{b}:minute:0', '{c}:minute:0']);
    expect(found.map((count) => count?.units)).toEqual([3, 7, undefined]);
  } finally {
    cluster.disconnect();
    setUp.disconnect();
    await node.close();
  }
});

import { slotOf } from '../../../src/platform/redis/redis-slot.js';
import { createLogger } from '../../../src/lib/logger.js';
import { createRedisQuotaStore } from '../../../src/features/limiter/redis-quota-store.js';
import { NO_RESETS, type Meter } from '../../../src/features/plans/window.js';
import { connectRedis, type RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { freshMeter } from '../../contract/limiter.js';
import { failGatewayProcess } from '../../support/gateway-process.js';
import { startGateway } from '../../support/gateway.js';
import { startRedisCluster, type RedisCluster } from '../../support/redis-cluster.js';
import type { RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';
import { statusesOf } from '../../support/statuses-of.js';

/** Three nodes, each with a third of the keys. What holds over every store: limiter-over-redis.test.ts. */
let cluster: RedisCluster;
let connection: RedisConnection;

beforeAll(async () => {
  cluster = await startRedisCluster();
  connection = await connectRedis(cluster.url, createLogger({ level: 'silent', pretty: false }));
});
afterAll(async () => {
  await connection.close();
  await cluster.close();
});

/** A meter on each node. */
async function meters(): Promise<Meter[]> {
  const found = new Map<RedisServer, Meter>();
  while (found.size < cluster.nodes.length) {
    const meter = freshMeter(60, 1000);
    found.set(await cluster.primaryOf(meter.id), meter);
  }
  return [...found.values()];
}

async function scriptsRun(): Promise<number> {
  const infos = await Promise.all(cluster.nodes.map((node) => cluster.command(node, 'INFO', 'commandstats')));
  const calls = [...infos.join('\n').matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
  return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

test.each([
  ['123456789', 12_739],
  ['foo', 12_182],
  ['', 0],
])('the slot of %j is that of the specification', (tag, slot) => {
  expect(slotOf(tag)).toBe(slot);
});

test('two gateways on one cluster admit the limit of each key together', async () => {
  const env = { REDIS_URL: cluster.url };
  const here = await startGateway({ env });
  const there = await startGateway({ env, beside: here });
  try {
    expect(await here.services.readiness()).toMatchObject({
      ready: true,
      checks: { quotaStore: 'redis: ok' },
    });
    // By day: on a busy machine, the requests can take longer than a minute.
    const quota = { requestsPerMinute: 1000, requestsPerDay: 60 };
    const keys = await Promise.all(Array.from({ length: 6 }, () => here.keyOn('enterprise', quota)));
    const admitted = await Promise.all(
      keys.map(async ({ secret }) => {
        const statuses = await Promise.all([here, there].map((each) => statusesOf(each, secret, 50)));
        return statuses.flat().filter((status) => status === 200).length;
      }),
    );
    expect(admitted).toEqual(keys.map(() => 60));
    const lines = [here, there].flatMap(({ logLines }) => logLines);
    expect(lines.filter((line) => line.includes('"level":40') && /redis/i.test(line))).toEqual([]);
  } finally {
    await there.close();
    await here.close();
  }
});

test('one node of a cluster named alone stops the start, with the setting to use', async () => {
  const { code, output } = await failGatewayProcess({
    MONGODB_URI: process.env['TEST_MONGODB_URI'] ?? '',
    REDIS_URL: cluster.nodes[0]?.url ?? '',
  });
  expect(output).toMatch(/REDIS_URL names one node of a Redis Cluster.*redis:\/\/host:6379,host:6379/);
  expect(code).toBe(2);
});

test('nodes whose clocks are an hour apart decide at the first call', async () => {
  const [slow, fast] = await meters();
  if (slow === undefined || fast === undefined) throw new Error('there are three nodes');
  const store = createRedisQuotaStore(connection.client, (id) =>
    id === fast.id ? Date.now() + 3_600_000 : Date.now(),
  );
  // A node that does not have the script yet gets it with the first call.
  await createRedisQuotaStore(connection.client).read([slow, fast]);
  const before = await scriptsRun();
  for (let i = 0; i < 10; i++) await Promise.all([store.decide(slow, [1]), store.decide(fast, [1])]);
  expect((await scriptsRun()) - before).toBe(20);
});

test('counts of deleted keys are removed on each node, and scripts that a node forgot are sent again', async () => {
  const store = createRedisQuotaStore(connection.client);
  const all = await meters();
  await Promise.all(all.map((meter, i) => store.decide(meter, [i + 1])));
  await Promise.all(cluster.nodes.map((node) => cluster.command(node, 'SCRIPT', 'FLUSH')));
  const used = async () => (await store.read(all)).map(([minute]) => minute?.consumedPoints);
  expect(await used()).toEqual([1, 2, 3]);
  await store.remove(all.map(({ id }) => ({ id, epochs: NO_RESETS })));
  expect(await used()).toEqual([0, 0, 0]);
});

test('while a slot moves to another node, its keys are decided where their counts are', async () => {
  const store = createRedisQuotaStore(connection.client);
  const [meter] = await meters();
  if (meter === undefined) throw new Error('there are three nodes');
  await store.decide(meter, [40]);
  const from = await cluster.primaryOf(meter.id);
  const to = cluster.nodes.find((node) => node !== from) ?? from;
  const [slot, fromId, toId] = [
    String(slotOf(meter.id)),
    String(await cluster.command(from, 'CLUSTER', 'MYID')),
    String(await cluster.command(to, 'CLUSTER', 'MYID')),
  ];
  await cluster.command(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
  await cluster.command(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
  expect(await store.decide(meter, [5])).toMatchObject({ free: 20 });
  const keys = (await cluster.command(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '10')) as string[];
  for (const key of keys)
    await cluster.command(from, 'MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000');
  expect(await store.decide(meter, [5])).toMatchObject({ free: 15 });
  for (const node of [to, from]) await cluster.command(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  expect(await store.decide(meter, [5])).toMatchObject({ free: 10 });
  await until('the nodes to agree', async () => (await cluster.primaryOf(meter.id)) === to);
});

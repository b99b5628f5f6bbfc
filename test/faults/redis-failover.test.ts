import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { readinessOf, WITH_CHECKS } from '../support/readiness.js';
import { startRedisCluster } from '../support/redis-cluster.js';
import type { RedisServer } from '../support/redis-server.js';
import { startRedisSentinels } from '../support/redis-sentinel.js';
import { until } from '../support/until.js';
import { issueKey } from './issue-key.js';

const LIMIT = 600;
/** The same for the day, so that a slow run does not come into the next window. */
const QUOTA = { requestsPerMinute: LIMIT, requestsPerDay: LIMIT };
const CLIENTS = 4;

let database: TestDatabase;
beforeAll(() => {
  database = freshDatabase();
});
afterAll(() => database.drop());

async function areBack(gateways: readonly GatewayProcess[]): Promise<boolean> {
  const all = await Promise.all(gateways.map(({ url }) => readinessOf(url)));
  return all.every(({ checks }) => checks['quotaStore'] === 'redis: ok');
}

/**
 * Two gateways spend a key until nothing is left, and a fault comes when a third is spent. During the fault each admits
 * half of what it last saw to remain: it cannot know what the other was admitted since. That, and what was being
 * answered at the kill and when the first gateway is back at the store, is all that may be admitted beyond the limit.
 */
async function spendThrough(
  what: string,
  redisUrl: string,
  primaryOf: (keyId: string) => Promise<RedisServer>,
  takesOver: (keyId: string, killed: RedisServer) => Promise<boolean>,
): Promise<void> {
  const { id, secret } = await issueKey(database, QUOTA);
  const env = {
    ...WITH_CHECKS,
    MONGODB_URI: database.uri,
    REDIS_URL: redisUrl,
    QUOTA_NODES: '2',
    STRIKES_PER_BAN: '1000',
  };
  const gateways = [await startGatewayProcess(env), await startGatewayProcess(env)];
  let spending = true;
  const statuses: number[] = [];
  /** What each gateway last said to remain. */
  const remaining = gateways.map(() => LIMIT);
  const clients = gateways.flatMap(({ url }, gateway) =>
    Array.from({ length: CLIENTS }, async () => {
      while (spending) {
        const answer = await fetch(`${url}/v1/pets?limit=1`, {
          headers: { authorization: `Bearer ${secret}` },
        });
        await answer.arrayBuffer();
        statuses.push(answer.status);
        remaining[gateway] = Number(answer.headers.get('x-ratelimit-remaining'));
        await sleep(20);
      }
    }),
  );
  let unseen: number;
  const admitted = () => statuses.filter((status) => status === 200).length;
  try {
    await until('some of the limit to be spent', () => Promise.resolve(admitted() > LIMIT / 3));
    const primary = await primaryOf(id);
    unseen = (Math.max(...remaining) - Math.min(...remaining)) / 2 + 2 * gateways.length * CLIENTS;
    await primary.kill();
    await until('another primary', () => takesOver(id, primary));
    await until('the store to be back at both, and the rest to be spent', async () => {
      const ready = await areBack(gateways);
      const since = statuses.length;
      await sleep(500);
      const latest = statuses.slice(since);
      return ready && latest.length > 0 && latest.every((status) => status === 429);
    });
  } finally {
    spending = false;
    await Promise.all(clients);
    expect(await Promise.all(gateways.map((one) => one.stop()))).toEqual([0, 0]);
  }
  process.stderr.write(`${what}: ${admitted()} of ${LIMIT} admitted\n`);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  expect(admitted()).toBeLessThanOrEqual(LIMIT + unseen);
  expect(gateways.map((one) => one.output()).join('\n')).not.toContain('MOVED');
}

test('the primary of a key dies in a cluster: its replica goes on with its counts', async () => {
  const cluster = await startRedisCluster(1, { 'cluster-node-timeout': '3000' });
  try {
    await spendThrough(
      'Redis Cluster, primary killed',
      cluster.url,
      cluster.primaryOf,
      async (keyId, killed) => (await cluster.primaryOf(keyId)) !== killed,
    );
  } finally {
    await cluster.close();
  }
});

test('the primary that Sentinels watch dies: its replica goes on with its counts', async () => {
  const sentinels = await startRedisSentinels(3000);
  try {
    await spendThrough(
      'Sentinel, primary killed',
      sentinels.url,
      () => Promise.resolve(sentinels.primary),
      async () => (await sentinels.primaryPort()) === sentinels.replica.port,
    );
  } finally {
    await sentinels.close();
  }
});

import type { Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { AMPLE } from '../support/rest-client.js';
import { issueKey } from './issue-key.js';
import { GATEWAY_ENV, liveThrough, type Fault } from './live-through.js';
import { startReplicaSet, type ReplicaSet } from './replica-set.js';

/** As docs/reliability.md says; and what a busy machine adds. */
const MONGODB_BOUND_MS = 10_000 + 2000;
const REDIS_BOUND_MS = 2000 + 2000;
/** 15 s until the driver gives up what waits on its connections; and what a busy machine adds. */
const STOP_BOUND_MS = 15_000 + 45_000;
/** Finds code that would wait until the end of the fault. */
const PAUSE_MS = MONGODB_BOUND_MS + 1000;

let mongod: ReplicaSet;
let redis: RedisServer;
let connection: Connection;
let secret: string;
/** One for all the faults, one after the other: it is never restarted. */
let gateways: Record<'counting in MongoDB' | 'counting in Redis', GatewayProcess>;

beforeAll(async () => {
  [mongod, redis] = await Promise.all([startReplicaSet({ members: 1 }), startRedisServer()]);
  const env = { ...GATEWAY_ENV, MONGODB_URI: mongod.uri };
  gateways = {
    'counting in MongoDB': await startGatewayProcess(env),
    'counting in Redis': await startGatewayProcess({ ...env, REDIS_URL: redis.url }),
  };
  ({ secret } = await issueKey(mongod, AMPLE));
  connection = await connectMongo({
    uri: mongod.uri,
    defaultDatabase: 'pets',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
});
afterAll(async () => {
  const codes = await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
  await connection.close();
  await redis.close();
  await mongod.close();
  expect(codes).toEqual([0, 0]);
});

const through = (fault: Fault, counting: keyof typeof gateways, boundMs: number) =>
  liveThrough(fault, { url: gateways[counting].url, secret, database: mongod, connection, boundMs });

describe.each(['counting in MongoDB', 'counting in Redis'] as const)('a gateway %s', (counting) => {
  test.each<Fault>([
    {
      name: 'mongod is paused with SIGSTOP',
      begin: () => mongod.members[0]?.signal('SIGSTOP'),
      end: () => mongod.members[0]?.signal('SIGCONT'),
      lastsMs: PAUSE_MS,
    },
    {
      name: 'mongod is killed with SIGKILL and started again',
      begin: () => mongod.members[0]?.kill(),
      end: async () => {
        await mongod.members[0]?.start();
        await mongod.primary();
      },
      lastsMs: 4000,
    },
  ])('$name: 503 with Retry-After in time, not ready, and no data is lost', async (fault) => {
    const { outcomes, readyDuring } = await through(
      { ...fault, name: `${fault.name}, ${counting}` },
      counting,
      MONGODB_BOUND_MS,
    );
    expect(outcomes['503 service_unavailable']).toBeGreaterThan(0);
    const notReady = readyDuring.filter(({ status }) => status === 503);
    expect(notReady.at(-1)?.checks).toMatchObject({ mongodb: 'no answer' });
  });
});

test('SIGTERM while mongod is paused: the gateway exits without waiting for long', async () => {
  const gateway = await startGatewayProcess({ MONGODB_URI: mongod.uri });
  const headers = { authorization: `Bearer ${secret}` };
  expect((await fetch(`${gateway.url}/v1/pets`, { headers })).status).toBe(200);
  mongod.members[0]?.signal('SIGSTOP');
  try {
    const underWay = fetch(`${gateway.url}/v1/pets`, { headers });
    // Connections are accepted in turn: once a later one is answered, the request is under way.
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    const askedMs = performance.now();
    const [code, { status }] = await Promise.all([gateway.stop(), underWay]);
    const tookMs = Math.round(performance.now() - askedMs);
    process.stderr.write(`SIGTERM while mongod is paused: exit ${code ?? '-'} after ${tookMs} ms\n`);
    expect([code, status]).toEqual([0, 503]);
    expect(tookMs).toBeLessThan(STOP_BOUND_MS);
  } finally {
    mongod.members[0]?.signal('SIGCONT');
  }
});

test.each<Fault>([
  {
    name: 'redis-server is paused with SIGSTOP',
    begin: () => redis.pause(),
    end: () => redis.resume(),
    lastsMs: 4000,
  },
  {
    name: 'redis-server is killed with SIGKILL and started again',
    begin: () => redis.kill(),
    end: () => redis.restart(),
    lastsMs: 4000,
  },
])(
  '$name: no request is rejected because of it, the local limit holds, and readiness names it',
  async (fault) => {
    const { outcomes, readyDuring } = await through(fault, 'counting in Redis', REDIS_BOUND_MS);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(readyDuring.at(-1)).toMatchObject({
      status: 200,
      checks: { quotaStore: 'redis: no answer: local limits apply' },
    });
  },
);

import type { Connection } from 'mongoose';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { AMPLE } from '../support/rest-client.js';
import { startToxiproxy, type Toxiproxy, type Wire } from '../support/toxiproxy.js';
import { issueKey } from './issue-key.js';
import { GATEWAY_ENV, liveThrough, QUOTA, type Fault } from './live-through.js';
import { wireFaults } from './wire-faults.js';

/** 2 s for the quota; and what a busy machine adds. */
const BOUND_MS = 2000 + 2000;

const database = freshDatabase();
let toxiproxy: Toxiproxy;
let redis: RedisServer;
let wire: Wire;
let connection: Connection;
/** One for all the faults, one after the other: it is never started anew. */
let gateway: GatewayProcess;
let secret: string;

beforeAll(async () => {
  toxiproxy = await startToxiproxy();
  redis = await startRedisServer();
  wire = await toxiproxy.wireTo(redis.port);
  gateway = await startGatewayProcess({
    ...GATEWAY_ENV,
    MONGODB_URI: database.uri,
    REDIS_URL: `redis://127.0.0.1:${wire.port}`,
  });
  ({ secret } = await issueKey(database, AMPLE));
  connection = await rawDatabase({ databaseName: database.dbName });
}, 120_000);
afterAll(async () => {
  await wire.mend();
  const code = await gateway.stop();
  await connection.close();
  await database.drop();
  await redis.close();
  await toxiproxy.close();
  expect(code).toBe(0);
}, 60_000);

const { late, answersSwallowed, allSwallowed, reset, slow, down, flapping } = wireFaults(() => wire);
const through = (fault: Fault) =>
  liveThrough(fault, { url: gateway.url, secret, database, connection, boundMs: BOUND_MS });

test.each([
  late(5000)('Redis answers 5 s late', 4000),
  answersSwallowed('the network swallows the answers of Redis', 4000),
  allSwallowed('the network swallows all between gateway and Redis', 4000),
  reset('connections to Redis are reset', 4000),
  down('Redis refuses connections', 4000),
])(
  '$name: nobody is refused for it, the local limit holds, and readiness names it',
  async (fault) => {
    const { outcomes, readyDuring } = await through(fault);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(readyDuring.at(-1)).toMatchObject({
      status: 200,
      checks: { quotaStore: 'redis: no answer: local limits in force' },
    });
  },
  120_000,
);

test.each([late(300)('Redis answers 300 ms late', 4000), slow('Redis answers slowly', 4000)])(
  '$name: slower, nobody is refused for it, and the limits are exact',
  async (fault) => {
    const { outcomes, admitted } = await through(fault);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(admitted).toBeLessThanOrEqual(QUOTA.requestsPerMinute);
  },
  120_000,
);

test('Redis comes and goes: nobody is refused for it', async () => {
  const { outcomes } = await through(flapping('Redis comes and goes every 300 ms', 4000));
  expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
}, 120_000);

import { Redis } from 'ioredis';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { readinessOf, WITH_CHECKS } from '../support/readiness.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';
import { issueKey } from './issue-key.js';

const LIMIT = 60;
/** The same for the day, so that a slow run does not come into the next window. */
const QUOTA = { requestsPerMinute: LIMIT, requestsPerDay: LIMIT };
const GATEWAYS = 4;

let database: TestDatabase;
let redis: RedisServer;
let admin: Redis;
let gateway: GatewayProcess;

beforeAll(async () => {
  database = freshDatabase();
  // Without files: what is killed has lost everything.
  redis = await startRedisServer({ appendonly: 'no' });
  admin = new Redis(redis.url);
  admin.on('error', () => undefined);
  gateway = await startGatewayProcess({
    ...WITH_CHECKS,
    MONGODB_URI: database.uri,
    REDIS_URL: redis.url,
    QUOTA_NODES: String(GATEWAYS),
    STRIKES_PER_BAN: '1',
    STRIKE_LOOP_SECONDS: '1',
    BAN_SECONDS: '3600',
  });
});
afterAll(async () => {
  const code = await gateway.stop();
  admin.disconnect();
  await redis.close();
  await database.drop();
  expect(code).toBe(0);
});

const ask = (secret: string) =>
  fetch(`${gateway.url}/v1/pets`, { headers: { authorization: `Bearer ${secret}` } });

/** How many of so many requests at once are admitted; the others are refused. */
async function admittedOf(count: number, secret: string): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(secret)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

async function quotaStore(): Promise<string | undefined> {
  const { status, checks } = await readinessOf(gateway.url);
  expect(status).toBe(200);
  return checks['quotaStore'];
}
const untilCountsIn = (what: string) => until(what, async () => (await quotaStore()) === what);

async function bannedKey(): Promise<string> {
  const { secret } = await issueKey(database, QUOTA);
  await admittedOf(LIMIT, secret);
  await until('the ban', async () => (await codeOf(secret)) === 'key_banned');
  return secret;
}
async function codeOf(secret: string): Promise<string | undefined> {
  return ((await (await ask(secret)).json()) as { code?: string }).code;
}

test.each<[string, () => Promise<unknown>]>([
  ['FLUSHALL', () => admin.flushall()],
  ['a restart without its files', () => redis.kill().then(() => redis.restart())],
])(
  '%s in the middle of a window: the gateway knows what it has admitted, and who was banned stays so',
  async (what, lose) => {
    const banned = await bannedKey();
    const { secret } = await issueKey(database, QUOTA);
    expect(await admittedOf(40, secret)).toBe(40);
    const probe = await issueKey(database, QUOTA);
    await lose();
    // Readiness alone does not tell: its answer is shared for a second, and the loss of a moment may go unnoticed.
    await until('a count in Redis', async () => {
      await ask(probe.secret);
      return (await admin.dbsize()) > 0;
    });
    await untilCountsIn('redis: ok');
    const further = await admittedOf(100, secret);
    process.stderr.write(`${what}: ${40 + further} of ${LIMIT} admitted\n`);
    expect(further).toBe(20);
    expect(await codeOf(banned)).toBe('key_banned');
  },
);

test('a Redis that refuses writes for lack of memory: a share of the rest, and then the rest once there is room', async () => {
  const { secret } = await issueKey(database, QUOTA);
  expect(await admittedOf(40, secret)).toBe(40);
  await admin.config('SET', 'maxmemory', '1');
  const locally = await admittedOf(100, secret);
  expect(locally).toBe(20 / GATEWAYS);
  await untilCountsIn('redis: no answer: local limits apply');

  await admin.config('SET', 'maxmemory', '0');
  await untilCountsIn('redis: ok');
  const afterwards = await admittedOf(100, secret);
  process.stderr.write(`Redis full: ${40 + locally + afterwards} of ${LIMIT} admitted\n`);
  expect(locally + afterwards).toBe(20);
});

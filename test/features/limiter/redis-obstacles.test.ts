import { Redis } from 'ioredis';
import { quotaStoreOf } from '../../../src/app/quota-stores.js';
import { createServices } from '../../../src/app/services.js';
import { parseConfig } from '../../../src/config/config.js';
import { ConfigError } from '../../../src/config/config-error.js';
import { LOCAL_BUS } from '../../../src/features/system/bus.js';
import { systemClock } from '../../../src/lib/clock.js';
import { createLogger } from '../../../src/lib/logger.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { freshDatabase } from '../../support/database.js';
import { runCommand } from '../../support/command-line.js';
import { startRedisSentinels, type SentinelSetup } from '../../support/redis-sentinel.js';
import { startRedis62Wire, type RedisWire } from '../../support/redis-62-wire.js';
import { startGateway } from '../../support/gateway.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';

/** A Redis that answers and cannot count: the start and `doctor` say why. */
let redis: RedisServer;
let replica: RedisServer;
let sentinels: SentinelSetup;
let admin: Redis;
const database = freshDatabase();
const PASSWORD = 'hidden-word';
/** What the store runs, in its script and beside it. */
const USED = ['evalsha', 'time', 'hmget', 'hget', 'hset', 'hincrby', 'hdel', 'pexpire', 'del'];

beforeAll(async () => {
  redis = await startRedisServer();
  replica = await startRedisServer({ replicaof: `127.0.0.1 ${redis.port}` });
  sentinels = await startRedisSentinels();
  admin = new Redis(redis.url);
  const allow = (name: string, ...rules: string[]) =>
    admin.call('ACL', 'SETUSER', name, 'on', `>${PASSWORD}`, ...rules);
  await allow('reader', '~quota:*', '+info', '+hget');
  await allow('elsewhere', '~shop:*', '+@all');
  for (const command of USED) await allow(`no-${command}`, '~quota:*', '+@all', `-${command}`);
  await allow('counter', '~quota:*', ...['eval', ...USED].map((command) => `+${command}`), '+info');
  await until('the replica', async () => (await admin.info('replication')).includes('state=online'));
});
afterAll(async () => {
  admin.disconnect();
  await sentinels.close();
  await replica.close();
  await redis.close();
  await database.drop();
});

const as = (user: string, password = PASSWORD) => `redis://${user}:${password}@127.0.0.1:${redis.port}`;

async function open(url: string): Promise<string> {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', pretty: false }, { write: (line) => void lines.push(line) });
  try {
    // The connection is MongoDB's, which this store does not use.
    const { close } = await quotaStoreOf({ redisUrl: url }).open(undefined as never, log);
    await close();
    return 'opened';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return [(error as Error).message, ...lines].join('\n');
  }
}

async function doctor(url: string) {
  const { stdout } = await runCommand(database, ['doctor', '--json'], { PORT: '1', REDIS_URL: url });
  const findings = JSON.parse(stdout) as { check: string; verdict: string; finding: string }[];
  return findings.filter(({ check }) => check === 'Redis');
}

test.each<[string, () => string, RegExp]>([
  ['a replica', () => replica.url, /REDIS_URL names a replica, which is read-only\. Name the primary/],
  [
    'a wrong password',
    () => as('counter', `${PASSWORD}-not`),
    /REDIS_URL has the wrong credentials: WRONGPASS .*[^.]\. Write redis:/,
  ],
  ['a user that may not run scripts', () => as('reader'), /may not count: .*eval.*EVALSHA/s],
  [
    'a user that may not touch the keys',
    () => as('elsewhere'),
    /may not count: .*keys that start with quota:/s,
  ],
  ...USED.map((command): [string, () => string, RegExp] => [
    `a user that may not run ${command}`,
    () => as(`no-${command}`),
    /may not count: /,
  ]),
  [
    'several hosts that are no cluster',
    () => `${redis.url},127.0.0.1:${replica.port}`,
    /names a cluster, and its hosts are none/,
  ],
  [
    'a master that the Sentinels do not know',
    () => sentinels.url.replace(/\w+$/, 'elsewhere'),
    /names the master elsewhere, which the Sentinels do not know/,
  ],
])('%s stops the start, and is a fault for doctor', async (_what, url, text) => {
  const said = await open(url());
  expect(said).toMatch(text);
  expect(said).not.toContain(PASSWORD);
  const found = await doctor(url());
  expect(found).toEqual([expect.objectContaining({ verdict: 'fault' })]);
  expect(`REDIS_URL ${JSON.stringify(found)}`).not.toContain(PASSWORD);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['whose memory is full', { maxmemory: '1' }, /rejects charges: OOM command not allowed/],
  ['with too few replicas', { 'min-replicas-to-write': '1' }, /rejects charges: NOREPLICAS Not enough good/],
])('a Redis %s is a fault for doctor and an error in the log of the start', async (_what, settings, text) => {
  const server = await startRedisServer(settings);
  try {
    const found = await doctor(server.url);
    expect(found).toEqual([expect.objectContaining({ verdict: 'fault' })]);
    expect(found[0]?.finding).toMatch(text);
    const lines: string[] = [];
    const log = createLogger({ level: 'error', pretty: false }, { write: (line) => void lines.push(line) });
    const { close } = await quotaStoreOf({ redisUrl: server.url }).open(undefined as never, log);
    await close();
    expect(lines.join('\n')).toMatch(text);
  } finally {
    await server.close();
  }
});

describe('Redis 6.2, which puts READONLY inside the error of the script', () => {
  let wire: RedisWire;
  afterEach(() => wire.close());

  test('a replica stops the start, and is a fault for doctor', async () => {
    wire = await startRedis62Wire(replica.port);
    expect(await open(wire.url)).toMatch(/REDIS_URL names a replica, which is read-only\. Name the primary/);
    expect(await doctor(wire.url)).toEqual([expect.objectContaining({ verdict: 'fault' })]);
  });

  test('after a failover the gateway connects to the new primary', async () => {
    const [before, after] = [await startRedisServer(), await startRedisServer()];
    wire = await startRedis62Wire(before.port);
    const gateway = await startGateway({ env: { REDIS_URL: wire.url } });
    const client = new Redis(before.url);
    try {
      const { secret } = await gateway.keyOn('free');
      const charge = () => gateway.request('/v1/pets', { key: secret });
      expect((await charge()).status).toBe(200);
      await client.replicaof('127.0.0.1', after.port);
      // The name now leads to the new primary; the connection stands.
      wire.leadTo(after.port);
      expect((await charge()).status).toBe(200);
      expect(gateway.services.quotaOutages()).toMatchObject({ down: true, outages: 1 });
      await until('the recovery', () => Promise.resolve(!gateway.services.quotaOutages().down));
    } finally {
      client.disconnect();
      await gateway.close();
      await before.close();
      await after.close();
    }
  });
});

test.each<[string, () => string]>([
  ['a user with just the permissions that the message names', () => as('counter')],
  ['Sentinels', () => sentinels.url],
])('%s: opens', async (_what, url) => {
  expect(await open(url())).toBe('opened');
  expect((await doctor(url())).filter(({ verdict }) => verdict === 'fault')).toEqual([]);
});

test('a start that fails after Redis was opened leaves no connection to it', async () => {
  const connections = async () => ((await admin.client('LIST')) as string).trim().split('\n').length;
  const before = await connections();
  const bus = {
    ...LOCAL_BUS,
    listen() {
      throw new Error('the start failed');
    },
  };
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: database.dbName,
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  const start = createServices(
    parseConfig({ REDIS_URL: redis.url }),
    connection,
    createLogger({ level: 'silent', pretty: false }),
    systemClock,
    bus,
  );
  await expect(start).rejects.toThrow('the start failed');
  await connection.close();
  await until('the connection to end', async () => (await connections()) === before);
});

import { askGraphQL, dataOf } from '../interfaces/graphql/client.js';
import { runCommand, runJson } from '../support/command-line.js';
import { useGateway } from '../support/gateway.js';
import { rawDatabase } from '../support/raw-database.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';

/** Who gets 429, why, and what an operator sees of strikes, bans and an outage, at the command line. */
const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;
let database: { uri: string };
const QUOTA = { requestsPerMinute: 5, requestsPerDay: 100 };
let busy: { id: string; secret: string };
let banned: string;
let calm: string;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = gateway.databaseName;
  database = { uri: uri.href };
  const issued = await gateway.keyOn('enterprise', QUOTA, { name: 'Busy' });
  busy = { id: issued.apiKey.id, secret: issued.secret };
  banned = (await gateway.keyOn('free', undefined, { name: 'Banned' })).apiKey.id;
  const other = await gateway.keyOn('free', undefined, { name: 'Calm' });
  calm = other.apiKey.id;
  expect((await gateway.request('/v1/pets', { key: other.secret })).status).toBe(200);
  const statuses = [];
  for (let i = 0; i < 7; i++) statuses.push((await gateway.request('/v1/pets', { key: busy.secret })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  await gateway.services.recorder.flush();
});
// A test lifts the ban.
beforeEach(() => gateway.services.apiKeysStore.ban(banned, Date.now(), gateway.services.config.ban));
afterAll(() => raw.close());

const run = (...args: string[]) => runCommand(database, args);
const json = <T>(...args: string[]) => runJson<T>(database, args);
interface LimitedRow {
  id: string;
  bannedUntil: string | null;
}

test('keys list --near-limit, --banned and --rejected list who, with use and the reason', async () => {
  const ofBusy = {
    id: busy.id,
    name: 'Busy',
    state: 'active',
    minuteUsed: 5,
    minuteLimit: 5,
    dayUsed: 5,
    dayLimit: 100,
    rejectedToday: 2,
    rejectedAt: expect.stringMatching(/Z$/) as unknown,
    reason: 'minute limit of 5',
    bannedUntil: null,
  };
  // Its day is far from its limit, its minute was not.
  expect(await json('keys', 'list', '--near-limit')).toEqual([expect.objectContaining(ofBusy)]);
  expect(await json('keys', 'list', '--rejected')).toEqual([expect.objectContaining(ofBusy)]);
  const [one, ...others] = await json<LimitedRow[]>('keys', 'list', '--banned');
  expect([one, others]).toEqual([
    expect.objectContaining({
      id: banned,
      reason: null,
      bannedUntil: expect.stringMatching(/Z$/) as unknown,
    }),
    [],
  ]);
  const { stdout } = await run('keys', 'list', '--rejected');
  expect(stdout.split('\n')[0]).toMatch(
    /minute used +minute limit +day used +day limit +rejected today +rejected +reason/,
  );
  expect(stdout).toContain('minute limit of 5');
  expect((await run('keys', 'list', '--rejected', '--banned')).stdout).toBe('No keys match now.\n');
});

test('usage show has the reasons of rejections', async () => {
  const { stdout } = await run('usage', 'show', 'Busy');
  expect(stdout).toMatch(/The latest rejected requests:\nrejected .*reason/);
  expect(stdout.replace(/ +/g, ' ')).toContain(`${busy.id} rest listPets minute limit of 5 `);
  const { refusals } = await json<{ refusals: object[] }>('usage', 'show', busy.id);
  expect(refusals).toEqual([
    expect.objectContaining({ keyId: busy.id, code: 'rate_limit_exceeded', window: 'minute', limit: 5 }),
  ]);
});

test('the strikes of a key are shown before the ban, over GraphQL and at the command line', async () => {
  const now = Math.floor(Date.now() / 1000);
  const strikes = raw.collection<{ _id: string }>('strikes');
  const seconds = [now - 400, now - 20, now - 10, now];
  await strikes.insertOne({
    _id: busy.id,
    early: [],
    strikes: seconds,
    bans: false,
    expireAt: new Date(Date.now() + 600_000),
  } as never);
  const [row] = await json<object[]>('quota', 'show', 'Busy');
  expect(row).toMatchObject({ strikes: 3, strikesLeft: 8 });
  const { secret: admin } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  const query = `{ quota { strikes { count left } } apiKey(id: "${busy.id}") { quota { strikes { count left } } } }`;
  expect(await dataOf(askGraphQL(gateway, admin, query))).toEqual({
    quota: { strikes: { count: 0, left: 11 } },
    apiKey: { quota: { strikes: { count: 3, left: 8 } } },
  });
});

test('quota unban says whether there was a ban, and what else rejects requests', async () => {
  const lifted = (await run('quota', 'unban', banned)).stdout;
  expect(lifted).toMatch(
    /\nLifted the ban, which would have ended at \S+Z\.\nNothing else rejects its requests now\.\n$/,
  );
  const spent = await gateway.keyOn('enterprise', { requestsPerMinute: 100, requestsPerDay: 1 });
  expect((await gateway.request('/v1/pets', { key: spent.secret })).status).toBe(200);
  const { stdout } = await run('quota', 'unban', spent.apiKey.id);
  expect(stdout).toMatch(
    /\nThe key was not banned\.\nThe limit of the day \(1\) is used up, so requests get 429 until \S+Z\. To reset it, run `pets-gateway quota reset key_\w+ day`\.\n$/,
  );
  await run('keys', 'disable', calm);
  expect((await run('quota', 'unban', calm)).stdout).toMatch(
    /The key is disabled, so its requests get 401\. To let it work again, run `pets-gateway keys enable`\.\n$/,
  );
});

describe('while the quota store is down', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedisServer();
    await redis.kill();
  });
  afterAll(() => redis.close());
  const runWithoutStore = (...args: string[]) => runCommand(database, args, { REDIS_URL: redis.url });

  test('quota reset and quota unban do their work, and say what they cannot know', async () => {
    const reset = await runWithoutStore('quota', 'reset', banned);
    expect([reset.code, reset.stderr]).toEqual([0, expect.not.stringContaining('error:')]);
    expect(reset.stdout).toMatch(/\nThe reset is recorded\. It applies when the quota store is back\.\n$/);
    const { epochs } = await gateway.services.apiKeys.get(banned);
    expect(epochs).toEqual({ minute: 1, day: 1 });

    const unban = await runWithoutStore('quota', 'unban', banned);
    expect([unban.code, unban.stderr]).toEqual([0, expect.not.stringContaining('error:')]);
    expect(unban.stdout).toMatch(
      /\nLifted the ban, .*\nThe quota store does not answer, so it is unknown whether a limit is used up\.\n$/,
    );
    expect((await runWithoutStore('quota', 'reset', banned, '--json')).code).toBe(0);
  });

  test.each([
    ['quota', 'show', 'Banned'],
    ['keys', 'list', '--banned'],
  ])('%s %s %s says so and shows no invented numbers', async (...args) => {
    const { code, stdout, stderr } = await runCommand(database, [...args, '--json'], {
      REDIS_URL: redis.url,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('The quota store does not answer')]);
    const [row] = JSON.parse(stdout) as Record<string, unknown>[];
    // What MongoDB has is known.
    expect(row?.['bannedUntil']).toMatch(/Z$/);
    for (const name of ['used', 'remaining', 'resetAt', 'minuteUsed', 'dayUsed'])
      expect(row?.[name] ?? null).toBeNull();
  });
});

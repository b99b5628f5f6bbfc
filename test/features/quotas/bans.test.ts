import type { IssuedKey } from '../../../src/features/keys/api-keys-service.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, NOON, releaseDate } from '../../support/fake-date.js';
import { startGateway, useGateway, useStarted } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';

const ADMIN_SECRET = 'configured-admin-key-of-the-test';
const ONE_A_MINUTE = { requestsPerMinute: 1, requestsPerDay: 100_000 };

const env = { ADMIN_API_KEY: ADMIN_SECRET, ADMIN_REQUESTS_PER_MINUTE: '1', BAN_MAX_SECONDS: '200' };
const gateway = useGateway({ env });
const other = useStarted(() => startGateway({ env, beside: gateway }));
let raw: Awaited<ReturnType<typeof rawDatabase>>;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());
beforeEach(() => freezeDate(NOON));
afterEach(releaseDate);

async function ask(secret: string, on = gateway): Promise<[number, string | undefined]> {
  const response = await on.request('/v1/pets', { key: secret });
  const body = (await response.json()) as { code?: string };
  return [response.status, body.code];
}

async function strikesOf(keyId: string): Promise<number> {
  const found = await raw.db
    ?.collection<{ _id: string; strikes: unknown[] }>('strikes')
    .findOne({ _id: keyId });
  return found?.strikes.length ?? 0;
}

/** Seconds of a loop before its first strike. */
const BEFORE_FIRST = 21;

/** Uses the minute up and comes again each second until the key has this number of strikes. */
async function earnStrikes({ secret }: Pick<IssuedKey, 'secret'>, count: number): Promise<void> {
  expect(await ask(secret)).toEqual([200, undefined]);
  expect(await ask(secret)).toEqual([429, 'rate_limit_exceeded']);
  moveDateBy(1);
  for (let i = 0; i < BEFORE_FIRST + count; i++) {
    moveDateBy(1000);
    expect(await ask(secret)).toEqual([429, 'rate_limit_exceeded']);
  }
}

async function getBanned(key: IssuedKey): Promise<Date> {
  await earnStrikes(key, 11);
  await until('the key to be banned', async () => (await ask(key.secret))[1] === 'key_banned');
  const { ban } = await gateway.services.apiKeys.get(key.apiKey.id);
  if (ban === undefined) throw new Error('a banned key has a ban');
  return ban.until;
}

test('ten strikes are no ban, the eleventh is: 429 key_banned until its end', async () => {
  const key = await gateway.keyOn('enterprise', ONE_A_MINUTE);
  await earnStrikes(key, 10);
  await until('ten strikes', async () => (await strikesOf(key.apiKey.id)) === 10);
  expect(await ask(key.secret)).toEqual([429, 'rate_limit_exceeded']);

  moveDateBy(1000);
  await ask(key.secret);
  await until('the ban', async () => (await ask(key.secret))[1] === 'key_banned');
  const response = await gateway.request('/v1/pets', { key: key.secret });
  expect(response.headers.get('retry-after')).toBe('60');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(response.headers.get('x-ratelimit-reset')).toBe(String(Math.ceil((Date.now() + 60_000) / 1000)));

  moveDateBy(60_000);
  expect(await ask(key.secret)).toEqual([200, undefined]);
});

test('each ban of the day is twice as long as the previous one, up to the maximum; a new day starts over', async () => {
  const key = await gateway.keyOn('enterprise', ONE_A_MINUTE);
  const lengths: number[] = [];
  for (let i = 0; i < 4; i++) {
    const end = (await getBanned(key)).getTime();
    lengths.push((end - Date.now()) / 1000);
    moveDateTo(end);
  }
  expect(lengths).toEqual([60, 120, 200, 200]);

  moveDateTo(MIDNIGHT + 1000);
  const end = (await getBanned(key)).getTime();
  expect((end - Date.now()) / 1000).toBe(60);
  expect((await gateway.services.apiKeys.get(key.apiKey.id)).ban?.offences).toBe(1);
});

test('a ban outlives a plan change, a reset and a rotation, and another node sees it', async () => {
  const key = await gateway.keyOn('enterprise', ONE_A_MINUTE);
  await getBanned(key);
  await until('the other node to see it', async () => (await ask(key.secret, other))[1] === 'key_banned');

  const { projects, apiKeys } = gateway.services;
  await projects.changePlan(key.apiKey.projectId ?? '', 'business');
  await apiKeys.resetQuota(key.apiKey.id);
  const { secret } = await apiKeys.rotate(key.apiKey.id, 60);
  expect(await ask(key.secret)).toEqual([429, 'key_banned']);
  expect(await ask(secret)).toEqual([429, 'key_banned']);
  expect(await ask(secret, other)).toEqual([429, 'key_banned']);
});

test('a lifted ban is over at the next request here, and elsewhere soon; the next one is longer all the same', async () => {
  const key = await gateway.keyOn('enterprise', ONE_A_MINUTE);
  await getBanned(key);
  await until('the other node to see it', async () => (await ask(key.secret, other))[1] === 'key_banned');
  moveDateBy(60_000 - 1);
  await gateway.services.apiKeys.liftBan(key.apiKey.id);
  expect(await ask(key.secret)).toEqual([200, undefined]);
  await until('the other node to see it', async () => (await ask(key.secret, other))[1] !== 'key_banned');

  moveDateBy(60_000);
  expect((await getBanned(key)).getTime() - Date.now()).toBe(120_000);
});

test('a browser key is public: it is rejected, never banned', async () => {
  const key = await gateway.keyOn('enterprise', ONE_A_MINUTE, {
    role: 'browser',
    allowedOrigins: ['https://shop.example'],
  });
  for (let i = 0; i < 20; i++) {
    await gateway.request('/v1/pets', { key: key.secret, headers: { origin: 'https://shop.example' } });
    moveDateBy(1001);
  }
  expect(await strikesOf(key.apiKey.id)).toBe(0);
});

test('the configured admin key has no record for a ban: it is rejected, never banned', async () => {
  await earnStrikes({ secret: ADMIN_SECRET }, 20);
  expect(await strikesOf('key_configured_admin')).toBe(0);
});

test('an admin key of the store is banned as any other', async () => {
  const key = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
  await getBanned(key);
});

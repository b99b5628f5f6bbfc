import { QUOTAS_COLLECTION, type QuotaDocument } from '../../../src/features/limiter/mongo-quota-store.js';
import { freezeDate, MIDNIGHT, moveDateBy, NOON, releaseDate } from '../../support/fake-date.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';

const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());
afterEach(releaseDate);

const rateHeaders = ({ headers }: Response) =>
  Object.fromEntries(
    [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'ratelimit-policy',
      'ratelimit',
      'retry-after',
    ].map((name) => [name, headers.get(name)]),
  );
const seconds = (ms: number) => String(Math.ceil(ms / 1000));
const TO_MIDNIGHT = (MIDNIGHT - NOON) / 1000;

describe('200 requests at once on a Free key', () => {
  test('exactly 60 pass, 140 are rejected, and rejections cost nothing', async () => {
    freezeDate();
    const { secret, apiKey } = await gateway.keyOn('free');
    // Not compared with the OpenAPI document: that would take longer than a key's turn is waited for.
    const headers = { authorization: `Bearer ${secret}` };
    const responses = await Promise.all(
      Array.from({ length: 200 }, () => fetch(`${gateway.url}/v1/pets`, { headers })),
    );
    const withStatus = (status: number) => responses.filter((response) => response.status === status);
    expect([withStatus(200).length, withStatus(429).length]).toEqual([60, 140]);

    const counts = await raw.collection<QuotaDocument>(QUOTAS_COLLECTION).findOne({ _id: apiKey.id });
    expect(counts).toMatchObject({
      m: { e: new Date(NOON + 60_000), u: 60 },
      d: { e: new Date(MIDNIGHT), u: 60 },
    });

    // Remaining may understate what is left, because others were charged in the same breath; never the reverse.
    const reported = withStatus(200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
      .sort((a, b) => b - a);
    reported.forEach((remaining, passedBefore) => expect(remaining).toBeLessThanOrEqual(59 - passedBefore));
    for (const response of withStatus(429))
      expect(rateHeaders(response)).toEqual({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': seconds(NOON + 60_000),
        'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
        ratelimit: `"minute";r=0;t=60, "day";r=940;t=${TO_MIDNIGHT}`,
        'retry-after': '60',
      });
  });
});

describe('headers', () => {
  test('describe the window with the fewest requests left; Reset is rounded up', async () => {
    freezeDate(NOON + 1);
    const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 5, requestsPerDay: 7 });
    const first = await gateway.request('/v1/pets', { key: secret });
    expect(rateHeaders(first)).toMatchObject({
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': String(NOON / 1000 + 61),
      ratelimit: `"minute";r=4;t=60, "day";r=6;t=${TO_MIDNIGHT}`,
      'retry-after': null,
    });
    for (let i = 0; i < 4; i++) await gateway.request('/v1/pets', { key: secret });
    moveDateBy(60_000);
    expect(rateHeaders(await gateway.request('/v1/pets', { key: secret }))).toMatchObject({
      'x-ratelimit-limit': '7',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': seconds(MIDNIGHT),
      ratelimit: `"minute";r=4;t=60, "day";r=1;t=${TO_MIDNIGHT - 60}`,
    });
  });

  test('on a tie describe the window that resets later', async () => {
    freezeDate();
    const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 5, requestsPerDay: 5 });
    expect(rateHeaders(await gateway.request('/v1/pets', { key: secret }))).toMatchObject({
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': seconds(MIDNIGHT),
    });
  });

  test('on 429 describe the window that rejected, though the other has less left', async () => {
    freezeDate();
    const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 1 });
    await gateway.request('/v1/pets', { key: secret });
    const refused = await gateway.request('/v1/pets', { key: secret });
    expect(rateHeaders(refused)).toMatchObject({
      'x-ratelimit-limit': '1',
      'x-ratelimit-reset': seconds(MIDNIGHT),
      'retry-after': String(TO_MIDNIGHT),
    });
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.json()).toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      details: { window: 'day', limit: 1, cost: 1, resetAt: new Date(MIDNIGHT).toISOString() },
    });
  });

  test.each([
    ['400', '/v1/pets?limit=0', 400],
    ['404', '/v1/nothing', 404],
    ['404 of a pet', '/v1/pets/9', 404],
    ['405', '/v1/pets', 405],
  ])('are on a %s, which costs 1 as any request', async (_name, path, status) => {
    freezeDate();
    const { secret } = await gateway.keyOn('free');
    const init = status === 405 ? { method: 'PUT' } : {};
    const response = await gateway.request(path, { key: secret, ...init });
    expect(response.status).toBe(status);
    expect(rateHeaders(response)).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    });
  });

  test('of an admin key describe its only window', async () => {
    freezeDate();
    const { secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
    expect(rateHeaders(await gateway.request('/v1/pets', { key: secret }))).toMatchObject({
      'x-ratelimit-limit': '6000',
      'ratelimit-policy': '"minute";q=6000;w=60',
    });
  });
});

test('waiting for Retry-After is enough, to the millisecond', async () => {
  freezeDate(NOON + 400);
  const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 100 });
  await gateway.request('/v1/pets', { key: secret });
  for (const offsetMs of [1, 999, 30_000]) {
    moveDateBy(offsetMs);
    const refused = await gateway.request('/v1/pets', { key: secret });
    expect(refused.status).toBe(429);
    const reported = Number(refused.headers.get('retry-after'));
    expect(reported * 1000).toBeGreaterThanOrEqual(NOON + 60_400 - Date.now());
    expect(reported * 1000).toBeLessThan(NOON + 61_400 - Date.now());
  }
  moveDateBy(Number((await gateway.request('/v1/pets', { key: secret })).headers.get('retry-after')) * 1000);
  expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);
});

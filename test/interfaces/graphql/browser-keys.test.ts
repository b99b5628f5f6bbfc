import { useGateway } from '../../support/gateway.js';
import { askGraphQL } from './client.js';

const SHOP = 'https://shop.example';
const gateway = useGateway({ env: { TRUST_PROXY: 'loopback' } });

beforeAll(async () => {
  await gateway.services.petsStore.insertMany([{ name: 'Rex', categoryId: 1n, status: 'available' }]);
});

const browserKey = (quota = { requestsPerMinute: 1000, requestsPerDay: 10_000 }) =>
  gateway.keyOn('enterprise', quota, { role: 'browser', allowedOrigins: [SHOP, 'http://localhost:5173'] });
const ask = (
  key: string,
  query: string,
  headers: Record<string, string> = { origin: SHOP },
  client = '192.0.2.1',
) => askGraphQL(gateway, key, query, {}, { 'x-forwarded-for': client, ...headers });
const PET = '{ pets(limit: 1) { name } }';
const aliases = (count: number) =>
  `{ ${Array.from({ length: count }, (_, i) => `f${i}: plans { id }`).join(' ')} }`;

describe('a browser key', () => {
  test('reads pets in every way', async () => {
    const { secret } = await browserKey();
    const query =
      '{ pets { id } petsConnection { edges { node { id } } } petsByIds(ids: [1]) { id } pet(id: 1) { name } }';
    const answer = await ask(secret, query);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({ pet: { name: 'Rex' } });
  });

  test.each([SHOP, 'http://localhost:5173'])('works from %s', async (origin) => {
    const { secret } = await browserKey();
    expect((await ask(secret, PET, { origin })).http).toBe(200);
  });

  test.each(['http://127.0.0.1:5173', 'http://[::1]:5173'])(
    'works from %s, another name of the machine that it allows',
    async (origin) => {
      const { secret } = await browserKey();
      expect((await ask(secret, PET, { origin })).http).toBe(200);
    },
  );

  test.each([
    'http://127.0.0.1:5174',
    'https://localhost:5173',
    'http://localhost:5173/page',
    'http://localhost.evil.example:5173',
  ])('does not work from %s', async (origin) => {
    const { secret } = await browserKey();
    expect((await ask(secret, PET, { origin })).http).toBe(403);
  });

  test('names the origin that it does not allow, and those that it does', async () => {
    const { secret } = await browserKey();
    const { errors } = await ask(secret, PET, { origin: 'https://evil.example' });
    const allowedOrigins = [SHOP, 'http://localhost:5173'];
    expect(errors).toMatchObject([
      {
        message: `This browser key does not allow the origin https://evil.example. It allows ${allowedOrigins.join(', ')}.`,
        extensions: { details: { origin: 'https://evil.example', allowedOrigins } },
      },
    ]);
  });

  test('reports what is left of the share in its extensions as in the headers', async () => {
    const { secret } = await browserKey();
    const { headers, extensions } = await ask(secret, PET);
    const share = extensions?.cost.windows.find(({ name }) => name === 'client');
    expect(share).toMatchObject({ limit: 30, remaining: 29 });
    expect(headers.get('x-ratelimit-remaining')).toBe('29');
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a site whose name begins alike', { origin: `${SHOP}.evil.example` }],
    ['another scheme', { origin: 'http://shop.example' }],
    ['another port', { origin: `${SHOP}:8443` }],
    ['a sandboxed page', { origin: 'null' }],
    ['two origins', { origin: `${SHOP}, ${SHOP}` }],
    ['nowhere', {}],
  ])(
    'used from %s: 403 for the whole request, readable by the page, and the key pays nothing',
    async (_from, headers) => {
      const { secret } = await browserKey();
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await ask(secret, PET, { ...headers, accept });
        expect(answer.http).toBe(403);
        expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'forbidden', status: 403 });
        expect(answer).not.toHaveProperty('data');
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
        expect(answer.headers.get('x-ratelimit-limit')).toBe('30');
      }
      const { headers: after } = await ask(secret, PET, { origin: SHOP }, '192.0.2.2');
      expect(after.get('ratelimit')).toMatch(/^"minute";r=999;/);
    },
  );

  test('is refused by the REST interface, from its own page too', async () => {
    const { secret } = await browserKey();
    const answer = await gateway.request('/v1/pets', { key: secret, headers: { origin: SHOP } });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'forbidden' });
  });

  test('a preflight for it is never refused', async () => {
    const answer = await gateway.request('/graphql', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
  });
});

describe('the share of one client', () => {
  test('is 30 a minute, counted by cost; another client has its own', async () => {
    const { secret } = await browserKey();
    expect((await ask(secret, aliases(28))).http).toBe(200);
    const refused = await ask(secret, aliases(3));
    expect(refused.http).toBe(429);
    expect(refused.errors?.[0]?.extensions).toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      details: { window: 'client', limit: 30, cost: 3, resetAt: expect.any(String) as string },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('30');
    // The refusal itself costs 1.
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(refused.headers.get('ratelimit-policy')).toBe('"client";q=30;w=60');

    expect((await ask(secret, aliases(1))).http).toBe(200);
    expect((await ask(secret, PET)).http).toBe(429);
    const other = await ask(secret, PET, { origin: SHOP }, '192.0.2.7');
    expect(other.http).toBe(200);
    // What was refused by the share was no charge of the key.
    expect(other.headers.get('ratelimit')).toMatch(/^"minute";r=970;.* "client";r=29;t=\d+$/);
    expect(other.headers.get('x-ratelimit-remaining')).toBe('29');
  });

  test('is one for an IPv6 /64, and another for each key', async () => {
    const { secret } = await browserKey();
    const { secret: second } = await browserKey();
    expect((await ask(secret, aliases(30), { origin: SHOP }, '2001:db8::1')).http).toBe(200);
    expect((await ask(secret, PET, { origin: SHOP }, '2001:db8::ffff:2')).http).toBe(429);
    expect((await ask(second, PET, { origin: SHOP }, '2001:db8::1')).http).toBe(200);
  });

  test('at once: exactly 30 of 60 pass', async () => {
    const { secret } = await browserKey();
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(secret, PET)));
    expect(answers.filter(({ http }) => http === 200)).toHaveLength(30);
  });

  test('cannot hold more than itself: 400 query_too_costly', async () => {
    const { secret } = await browserKey();
    const answer = await ask(secret, aliases(31));
    expect([answer.http, answer.errors?.[0]?.extensions.code]).toEqual([400, 'query_too_costly']);
  });

  test('pays 1 for what the key refuses', async () => {
    const { secret } = await browserKey({ requestsPerMinute: 20, requestsPerDay: 1000 });
    expect((await ask(secret, aliases(15))).http).toBe(200);
    expect((await ask(secret, aliases(10))).http).toBe(429);
    const last = await ask(secret, aliases(5));
    expect(last.http).toBe(200);
    expect(last.headers.get('ratelimit')).toContain('"client";r=9;');
  });

  test('is also what bounds a page elsewhere that keeps asking', async () => {
    const { secret } = await browserKey();
    const origin = 'https://evil.example';
    const statuses = [];
    for (let i = 0; i < 32; i++) statuses.push((await ask(secret, PET, { origin }, '192.0.2.9')).http);
    expect(statuses).toEqual([...Array<number>(30).fill(403), 429, 429]);
  });

  test('a server key has no share, whatever its origin', async () => {
    const { secret } = await gateway.keyOn('free');
    expect((await ask(secret, aliases(60), {})).http).toBe(200);
  });
});

test('hammering a browser key bans nobody', async () => {
  const { secret, apiKey } = await browserKey({ requestsPerMinute: 1, requestsPerDay: 1000 });
  for (let i = 0; i < 40; i++) await ask(secret, PET, { origin: SHOP }, `198.51.100.${i}`);
  expect((await gateway.services.apiKeys.get(apiKey.id)).ban).toBeUndefined();
});

import { freezeDate, moveDateBy, NOON, releaseDate } from '../../support/fake-date.js';
import { useGateway, type StartedGateway } from '../../support/gateway.js';

const LIMIT = 3;
const env = { ANONYMOUS_REQUESTS_PER_MINUTE: String(LIMIT) };

/** Each test begins in an hour of its own: nothing of the tests before counts. */
let nowMs = NOON;
beforeEach(() => freezeDate((nowMs += 3_600_000)));
afterEach(releaseDate);

/** The statuses of so many requests without a key, as a proxy would pass them on. */
async function statuses(gateway: StartedGateway, count: number, forwardedFor?: string): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    seen.push((await gateway.request('/v1/pets', { headers })).status);
  }
  return seen;
}

describe('without TRUST_PROXY', () => {
  const gateway = useGateway({ env });

  test('401 under the limit, 429 over it, with headers of its own, until the minute ends', async () => {
    const first = await gateway.request('/v1/pets');
    expect(first.status).toBe(401);
    expect(first.headers.get('x-ratelimit-limit')).toBe('3');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
    expect(first.headers.get('ratelimit-policy')).toBe('"anonymous";q=3;w=60');
    expect(first.headers.get('ratelimit')).toBe('"anonymous";r=2;t=60');
    expect(await statuses(gateway, 3)).toEqual([401, 401, 429]);

    moveDateBy(59_000);
    const refused = await gateway.request('/v1/pets');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.has('www-authenticate')).toBe(false);
    expect(refused.headers.get('ratelimit')).toBe('"anonymous";r=0;t=1');
    const resetAt = new Date(nowMs + 60_000).toISOString();
    expect(await refused.json()).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'More than 3 requests a minute without a valid API key. Retry in 1 s.',
      status: 429,
      details: { window: 'anonymous', limit: 3, remaining: 0, cost: 1, resetAt },
    });
    moveDateBy(1000);
    expect(await statuses(gateway, 1)).toEqual([401]);
  });

  test('no key and bad keys count together', async () => {
    const { secret } = await gateway.keyOn('free');
    const bad = [undefined, 'nonsense', `${secret.slice(0, -1)}!`, secret.replace('live', 'test')];
    const seen = [];
    for (const key of bad)
      seen.push((await gateway.request('/v1/pets', key === undefined ? {} : { key })).status);
    expect(seen).toEqual([401, 401, 401, 429]);
  });

  test('a valid key is never rejected for its address, and unauthenticated clients do not use its quota', async () => {
    const { secret } = await gateway.keyOn('free');
    await statuses(gateway, 10);
    const response = await gateway.request('/v1/pets', { key: secret });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('59');
  });

  test('ignores X-Forwarded-For, and logs that once', async () => {
    expect(await statuses(gateway, 2, '198.51.100.1')).toEqual([401, 401]);
    expect(await statuses(gateway, 2, '198.51.100.2')).toEqual([401, 429]);
    expect(gateway.logLines.filter((line) => line.includes('TRUST_PROXY'))).toHaveLength(1);
  });
});

describe('behind a trusted proxy', () => {
  const gateway = useGateway({ env: { ...env, TRUST_PROXY: 'loopback' } });

  test('each address has a limit of its own', async () => {
    expect(await statuses(gateway, 4, '198.51.100.1')).toEqual([401, 401, 401, 429]);
    expect(await statuses(gateway, 1, '198.51.100.2')).toEqual([401]);
    expect(gateway.logLines.filter((line) => line.includes('TRUST_PROXY'))).toEqual([]);
  });

  test('uses only the address that the proxy saw, not what the client claims', async () => {
    expect(await statuses(gateway, 2, '203.0.113.1, 198.51.100.1')).toEqual([401, 401]);
    expect(await statuses(gateway, 2, '203.0.113.2, 198.51.100.1')).toEqual([401, 429]);
  });

  test('an IPv6 /64 is one client, the next /64 is another', async () => {
    expect(await statuses(gateway, 2, '2001:db8:0:1::1')).toEqual([401, 401]);
    expect(await statuses(gateway, 2, '2001:db8:0:1:ffff:ffff:ffff:ffff')).toEqual([401, 429]);
    expect(await statuses(gateway, 1, '2001:db8:0:2::1')).toEqual([401]);
  });

  test('an IPv4 address written as IPv6 is the same client', async () => {
    expect(await statuses(gateway, 3, '198.51.100.7')).toEqual([401, 401, 401]);
    expect(await statuses(gateway, 1, '::ffff:198.51.100.7')).toEqual([429]);
  });
});

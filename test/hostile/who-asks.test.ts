import { expectRawError } from '../support/expect-answer.js';
import { rawHead, type RawAnswer } from '../support/raw-http.js';
import { startVictim, type Victim } from './victim.js';

/** Claims about where a request comes from. */
const LIMIT = '1000';
const victims: Victim[] = [];
const start = async (env: Record<string, string> = {}) => {
  const victim = await startVictim({ ANONYMOUS_REQUESTS_PER_MINUTE: LIMIT, ...env });
  victims.push(victim);
  return victim;
};
let direct: Victim;
let behindProxy: Victim;
beforeAll(async () => {
  [direct, behindProxy] = await Promise.all([start(), start({ TRUST_PROXY: 'loopback' })]);
});
afterEach(() => Promise.all(victims.map((victim) => victim.expectAlive())));
afterAll(() => Promise.all(victims.map((victim) => victim.close())));

const keyless = (...lines: string[]) =>
  rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Connection: close', ...lines);
const left = (answer: RawAnswer) => Number(answer.headers.get('x-ratelimit-remaining'));

describe('without TRUST_PROXY', () => {
  it.each([
    ['X-Forwarded-For: 1.2.3.4'],
    ['X-Forwarded-For: 127.0.0.1, 1.2.3.4'],
    ['X-Real-IP: 1.2.3.4'],
    ['Forwarded: for=1.2.3.4'],
    ['X-Client-IP: 1.2.3.4'],
    ['True-Client-IP: 1.2.3.4'],
    ['CF-Connecting-IP: 1.2.3.4'],
  ])('%s makes nobody else of a client', async (line) => {
    const before = left(await direct.send(keyless()));
    expect(left(await direct.send(keyless(line)))).toBe(before - 1);
  });
});

describe('with TRUST_PROXY=loopback', () => {
  const from = (value: string) => behindProxy.send(keyless(`X-Forwarded-For: ${value}`));

  it('the last address is the client, whatever the client itself put before it', async () => {
    const first = left(await from('198.51.100.1'));
    for (const claim of ['8.8.8.8', '127.0.0.2', 'unknown', '_hidden', '"[::1]"', '1.1.1.1, 2.2.2.2'])
      await from(`${claim}, 198.51.100.1`);
    expect(left(await from('198.51.100.1'))).toBe(first - 7);
  });

  it.each([
    [
      'an IPv4 address with a port',
      ['198.51.100.11:50001', '198.51.100.11:50002', '"198.51.100.11:_hidden"', '198.51.100.11'],
    ],
    [
      'an IPv6 address in brackets',
      ['[2001:db8:5::1]:443', '[2001:db8:5::2]', '"[2001:db8:5::3]:4711"', '2001:db8:5::4'],
    ],
    ['IPv4 in IPv6 with a port', ['[::ffff:198.51.100.12]:80', '198.51.100.12:81']],
    ['the identifier of a client', ['_gazonk', '_gazonk:_port', '"_gazonk:8080"']],
  ])(
    '%s (RFC 7239 section 6) is one client, and not the clients without an address',
    async (_what, nodes) => {
      const unknown = left(await from('unknown'));
      for (const [i, node] of nodes.entries()) expect(left(await from(node))).toBe(Number(LIMIT) - 1 - i);
      expect(left(await from('unknown'))).toBe(unknown - 1);
    },
  );

  it('a proxy with a port in the list is a trusted proxy', async () => {
    expect(left(await from('198.51.100.13:50001, 127.0.0.2:8080, [::1]:8080'))).toBe(Number(LIMIT) - 1);
    expect(left(await from('198.51.100.13'))).toBe(Number(LIMIT) - 2);
  });

  it('several lines are one list', async () => {
    const first = left(await from('198.51.100.2'));
    const lines = ['X-Forwarded-For: 9.9.9.9', 'X-Forwarded-For: 198.51.100.2'];
    expect(left(await behindProxy.send(keyless(...lines)))).toBe(first - 1);
  });

  it('the addresses of one IPv6 customer are one client, and IPv4 in IPv6 is IPv4', async () => {
    const first = left(await from('2001:db8:1:2::1'));
    expect(left(await from('2001:db8:1:2:ffff:ffff:ffff:ffff'))).toBe(first - 1);
    expect(left(await from('2001:db8:1:3::1'))).toBe(Number(LIMIT) - 1);
    const mapped = left(await from('198.51.100.3'));
    expect(left(await from('::ffff:198.51.100.3'))).toBe(mapped - 1);
  });

  it.each([
    '',
    ',',
    'x'.repeat(5000),
    '1.2.3.4.5',
    '999.1.1.1',
    '<script>',
    '1.2.3.4:x',
    '[1.2.3.4',
    '[::1]x',
    '_',
    '1,'.repeat(2000),
  ])('%.20j is no address: all such clients are one, and the answer is a 401', async (value) => {
    expectRawError(await from(value), 401, 'missing_api_key');
  });

  it('a valid key is never refused for its address', async () => {
    const spent = await start({ TRUST_PROXY: 'loopback', ANONYMOUS_REQUESTS_PER_MINUTE: '1' });
    const claim = 'X-Forwarded-For: 198.51.100.9';
    await spent.send(keyless(claim));
    expectRawError(await spent.send(keyless(claim)), 429, 'rate_limit_exceeded');
    expect((await spent.send(spent.head('GET /v1/pets HTTP/1.1', claim))).status).toBe(200);
  });
});

describe('a request id', () => {
  it('of one client says nothing about the request of another with the same id', async () => {
    const line = 'X-Request-Id: same';
    const [mine, unknown] = await Promise.all([
      direct.send(direct.head('GET /v1/pets HTTP/1.1', line)),
      direct.send(keyless(line)),
    ]);
    expect([mine.status, unknown.status]).toEqual([200, 401]);
  });
});

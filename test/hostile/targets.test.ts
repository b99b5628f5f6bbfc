import { expectRawError } from '../support/expect-answer.js';
import { useStarted } from '../support/gateway.js';
import { rawHead } from '../support/raw-http.js';
import { startVictim } from './victim.js';

/** Paths that another reader may take for something else. More in rest/bare-socket, rest/get-pet and rest/list-pets. */
const victim = useStarted(startVictim);
afterEach(() => victim.expectAlive());

describe('a path in disguise names nothing: 404 with a key, 401 without', () => {
  it.each([
    '/v1/%70ets',
    '/v1%2fpets',
    '/%76%31/pets',
    '/v1/pets%00',
    '/v1/pets%0d%0aX:y',
    '/v1/pets/..%2f',
    '/v1/pets/%2e%2e/pets',
    '/v1/pets/..',
    '/v1/pets/../pets',
    '/v1/./pets',
    '//v1/pets',
    '/v1//pets',
    '/v1/pets/',
    '/v1/pets;x=1',
    '/v1/pets%3flimit=1',
    '/v1/pets%20',
    '/V1/pets',
    '/v1/Pets',
    '/v1/%c0%afpets',
    '/v1/pets%c0%80',
    '/v1/pets%',
    '/v1/pets%zz',
    '/v1/pets/%ff',
    '/v1\\pets',
    '/docs/../v1/pets',
    '/docs/%2e%2e/v1/pets',
    '/docs/..%2fpackage.json',
    '/docs/graphiql/../../package.json',
    '/docs/%00',
    '/health/../metrics',
    '/health/live/',
    '/health/live/../../v1/pets',
    '/%67raphql',
    '/.env',
    '/.git/config',
  ])('%s', async (path) => {
    const head = victim.head(`GET ${path} HTTP/1.1`);
    const bytes = (text: string) => Buffer.from(text, 'latin1');
    expectRawError(await victim.send(bytes(head)), 404);
    const keyless = await victim.send(bytes(head.replace(/Authorization.*\r\n/, '')));
    expectRawError(keyless, 401, 'missing_api_key');
  });
});

describe('bytes past ASCII in a target are no HTTP: 400', () => {
  it.each(['/v1/pets\xff', '/v1/p\xc3\xa9ts', '/v1/pets?limit=\xef\xbc\x91', '/v1/pets\x7f'])(
    '%j',
    async (target) => {
      const request = Buffer.from(victim.head(`GET ${target} HTTP/1.1`), 'latin1');
      expectRawError(await victim.send(request), 400, 'invalid_request');
    },
  );
});

describe('the gateway does not act as a proxy', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:27017/',
    'https://example.com/',
    'ftp://x/y',
  ])('GET %s asks nobody: 404 here', async (target) => {
    expectRawError(await victim.send(victim.head(`GET ${target} HTTP/1.1`)), 404, 'not_found');
  });

  it('an absolute form for another host is a request to the gateway, and requires a key', async () => {
    const keyless = rawHead('GET http://example.com/v1/pets HTTP/1.1', 'Host: x', 'Connection: close');
    expectRawError(await victim.send(keyless), 401, 'missing_api_key');
    expect((await victim.send(victim.head('GET http://example.com/v1/pets HTTP/1.1'))).status).toBe(200);
  });

  it('no answer repeats a Host, so that none can be poisoned', async () => {
    for (const [path, key] of [
      ['/v1/pets?limit=1', true],
      ['/docs/', false],
      ['/docs/openapi.json', false],
      ['/v1/nothing', true],
    ] as const) {
      const lines = ['Host: evil.example', 'X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example'];
      const key1 = key ? [`Authorization: Bearer ${victim.secret}`] : [];
      const answer = await victim.send(
        rawHead(`GET ${path} HTTP/1.1`, 'Connection: close', ...lines, ...key1),
      );
      expect(answer.status).toBeLessThan(405);
      expect(answer.head + answer.body).not.toContain('evil.example');
    }
  });
});

describe('the method is the one of the request line', () => {
  it.each(['TRACE', 'DELETE', 'PUT', 'PATCH', 'PROPFIND', 'LINK', 'PURGE'])(
    '%s: 405, and nothing of the request in it',
    async (method) => {
      const request = victim.head(`${method} /v1/pets HTTP/1.1`, 'X-Echo: repeat-me');
      const answer = await victim.send(request);
      expectRawError(answer, 405, 'method_not_allowed');
      expect(answer.head + answer.body).not.toContain('repeat-me');
    },
  );

  it.each(['get', 'GETT', 'GET\t', 'PRI', 'SOURCE /x ICE/1.0'])('%j is none: 400', async (method) => {
    expectRawError(
      await victim.send(rawHead(`${method} /v1/pets HTTP/1.1`, 'Host: x')),
      400,
      'invalid_request',
    );
  });
});

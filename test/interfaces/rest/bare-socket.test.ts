import { expectCommonHeaders, expectRawError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { exchangeRaw, rawHead, sendRaw } from '../../support/raw-http.js';
import { restClient, type RestClient } from '../../support/rest-client.js';

/** What fetch is too polite to send. */
const gateway = useGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '100000' } });
let client: RestClient;
let head: (requestLine: string, ...headers: string[]) => string;
beforeAll(async () => {
  client = await restClient(gateway);
  head = (requestLine, ...headers) =>
    rawHead(
      requestLine,
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${client.secret}`,
      ...headers,
    );
});

describe('headers that must be there once', () => {
  const bad = `pets_live_${'0'.repeat(38)}`;
  it.each([
    ['good, good', (good: string) => [good, good]],
    ['bad, good', (good: string) => [bad, good]],
    ['good, bad', (good: string) => [good, bad]],
    ['empty, good', (good: string) => ['', good]],
    ['good, good, good', (good: string) => [good, good, good]],
  ])('answers 400 for several Authorization headers, and no 401: %s', async (_, keysOf) => {
    const lines = keysOf(client.secret).map(
      (key, i) => `${['Authorization', 'authorization', 'AUTHORIZATION'][i] ?? ''}: Bearer ${key}`,
    );
    const request = rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Connection: close', ...lines);
    expectRawError(await sendRaw(gateway.url, request), 400, 'invalid_request');
  });

  it('answers 401 for two keys in one Authorization header, as a proxy may join them', async () => {
    const line = `Authorization: Bearer ${client.secret}, Bearer ${client.secret}`;
    const request = rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Connection: close', line);
    expectRawError(await sendRaw(gateway.url, request), 401, 'invalid_api_key');
  });

  it('answers 400 for a missing Host in HTTP/1.1', async () => {
    const request = rawHead(
      'GET /v1/pets HTTP/1.1',
      'Connection: close',
      `Authorization: Bearer ${client.secret}`,
    );
    expect(expectRawError(await sendRaw(gateway.url, request), 400, 'invalid_request').message).toMatch(
      /Host/,
    );
  });

  it('answers 400 for two Host headers', async () => {
    const request = head('GET /v1/pets HTTP/1.1', 'Host: y');
    expect(expectRawError(await sendRaw(gateway.url, request), 400, 'invalid_request').message).toMatch(
      /Host/,
    );
  });

  it('answers 200 for a missing Host in HTTP/1.0, which has none', async () => {
    const request = rawHead('GET /v1/pets HTTP/1.0', `Authorization: Bearer ${client.secret}`);
    expect((await sendRaw(gateway.url, request)).status).toBe(200);
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['a bad request line', 'GET\r\n\r\n'],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\0\u0001'],
    ['an unknown method', rawHead('BREW /v1/pets HTTP/1.1', 'Host: x')],
    ['a space in the target', rawHead('GET /v1/pets x HTTP/1.1', 'Host: x')],
    ['a target without a slash', rawHead('GET pets HTTP/1.1', 'Host: x')],
    ['another version', rawHead('GET /v1/pets HTTP/9.9', 'Host: x')],
    ['a header without a colon', rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'nonsense')],
    ['a folded header', rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'A: b', ' c')],
    ['a NUL in a header', rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'A: \0')],
    [
      'Content-Length with Transfer-Encoding',
      `${rawHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    [
      'two different Content-Lengths',
      rawHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 4', 'Content-Length: 5'),
    ],
    ['a negative Content-Length', rawHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: -1')],
    ['CONNECT', rawHead('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ])('answers 400 for %s', async (_, request) => {
    const answer = await sendRaw(gateway.url, request);
    expectRawError(answer, 400, 'invalid_request');
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('ratelimit-policy')).toBe('"anonymous";q=100000;w=60');
  });

  it('answers 400 for a chunk that is none, in the middle of a body', async () => {
    const request = `${head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`;
    expectRawError(await sendRaw(gateway.url, request), 400, 'invalid_request');
  });

  it.each([
    ['a header of 20 kB', '/v1/pets', [`X-Padding: ${'x'.repeat(20_000)}`]],
    ['5000 short headers', '/v1/pets', Array.from({ length: 5000 }, (_, i) => `a${i}: b`)],
    ['a request line of 20 kB', `/v1/pets/${'1'.repeat(20_000)}`, []],
  ])('answers 431 for %s', async (_, path, lines) => {
    const request = head(`GET ${path} HTTP/1.1`, ...lines);
    expectRawError(await sendRaw(gateway.url, request), 431, 'request_headers_too_large');
  });

  it('answers 200 for a thousand short headers', async () => {
    const request = head('GET /v1/pets HTTP/1.1', ...Array.from({ length: 1000 }, (_, i) => `a${i}: b`));
    expect((await sendRaw(gateway.url, request)).status).toBe(200);
  });

  it('charges nobody for it: a client without a key has as much left as before', async () => {
    const left = async () => (await sendRaw(gateway.url, 'x\r\n\r\n')).headers.get('x-ratelimit-remaining');
    expect(await left()).toBe(await left());
  });

  it('refuses it after the answer to the request before it on the same connection', async () => {
    const whole = rawHead('GET /v1/pets HTTP/1.1', 'Host: x', `Authorization: Bearer ${client.secret}`);
    const answers = await exchangeRaw(gateway.url, `${whole}nonsense\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 [0-9]{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('what HTTP leaves to the server', () => {
  it('ignores an expectation that it does not know', async () => {
    const body = '{"name":"Rex","categoryId":7}';
    const request = head(
      'POST /v1/pets HTTP/1.1',
      'Expect: something',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    );
    expect((await sendRaw(gateway.url, request + body)).status).toBe(201);
  });

  it('disregards an Accept header that is longer than anybody needs', async () => {
    const accept = (times: number) =>
      head('GET /v1/pets HTTP/1.1', `Accept: ${'text/x,'.repeat(times)}text/y`);
    expectRawError(await sendRaw(gateway.url, accept(100)), 406, 'not_acceptable');
    expect((await sendRaw(gateway.url, accept(2000))).status).toBe(200);
  });

  it('ignores an upgrade', async () => {
    const answer = await sendRaw(gateway.url, head('GET /v1/pets HTTP/1.1', 'Upgrade: websocket'));
    expect(answer.status).toBe(200);
  });

  it.each([
    ['http://x/v1/pets?limit=1', 200],
    ['http://user@x:80/v1/pets/999999', 404],
    ['http://[::1/v1/pets', 200],
    ['http://x', 404],
    ['http://x?limit=1', 404],
  ])('reads the absolute form %s', async (target, status) => {
    const answer = await sendRaw(gateway.url, head(`GET ${target} HTTP/1.1`));
    expect(answer.status).toBe(status);
    if (status !== 200) expectRawError(answer, status);
    expectCommonHeaders(answer);
  });

  it.each(['/v1/pets#a', '/v1/pets#?limit=1', '//x/v1/pets', '/v1/../v1/pets', '/v1/pets\\', '/v1/pet%73'])(
    'answers 404 for %s, which names no operation',
    async (target) => {
      expectRawError(await sendRaw(gateway.url, head(`GET ${target} HTTP/1.1`)), 404, 'not_found');
    },
  );

  it('answers 404 for the target * that only OPTIONS has', async () => {
    expectRawError(await sendRaw(gateway.url, head('OPTIONS * HTTP/1.1')), 404, 'not_found');
  });
});

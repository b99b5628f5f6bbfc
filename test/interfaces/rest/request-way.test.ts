import mongoose from 'mongoose';
import { expectCommonHeaders, expectError, expectRawError } from '../../support/expect-answer.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { AMPLE, restClient, type RestClient } from '../../support/rest-client.js';

const PET = '{"name":"Rex","categoryId":7}';
const TOO_LARGE = JSON.stringify({ name: 'x'.repeat(64 * 1024), categoryId: 7 });
const unknownKey = `pets_live_${'0'.repeat(38)}`;

const gateway = useGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '100000' } });
let client: RestClient;
beforeAll(async () => {
  client = await restClient(gateway);
});

describe('authentication comes first', () => {
  it.each([
    ['GET', '/v1/pets'],
    ['GET', '/v1/pets/1'],
    ['POST', '/v1/pets'],
    ['DELETE', '/v1/pets'],
    ['OPTIONS', '/v1/pets'],
    ['GET', '/v1/nothing'],
    ['GET', '/'],
    ['GET', '/v1/pets?limit=0'],
  ])(
    'answers 401 missing_api_key without a key, whether the path exists or not: %s %s',
    async (method, path) => {
      const answer = await gateway.request(path, { method, ...(method === 'POST' && { body: TOO_LARGE }) });
      await expectError(answer, 401, 'missing_api_key');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    },
  );

  it.each([
    ['an unknown key', `Bearer ${unknownKey}`],
    ['no key after the scheme', 'Bearer'],
    ['two keys', 'Bearer a b'],
    ['a very long key', `Bearer ${'x'.repeat(5000)}`],
    ['a key of the other environment', `Bearer pets_test_${'0'.repeat(38)}`],
  ])('answers 401 invalid_api_key for %s', async (_, authorization) => {
    const answer = await gateway.request('/v1/nothing', { headers: { authorization } });
    await expectError(answer, 401, 'invalid_api_key');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('names what it received in place of a bearer token, and repeats no secret', async () => {
    const answer = await gateway.request('/v1/pets', { headers: { 'x-api-key': client.secret } });
    const { message } = await expectError(answer, 401, 'missing_api_key');
    expect(message).toContain('Received the header X-API-Key');
    expect(message).not.toContain(client.secret);
  });
});

it.each(['/health', '/healthz'])('%s needs no key to learn where the health checks are', async (path) => {
  const answer = await gateway.request(path);
  const { message } = await expectError(answer, 404, 'not_found');
  expect(message).toBe('There is nothing at this path. Try /health/ready.');
});

describe('with a key', () => {
  it('answers 404 not_found for an unknown path', async () => {
    await expectError(await client.get('/v1/nothing'), 404, 'not_found');
  });

  it.each([
    ['/pets', '/v1/pets'],
    ['/v1/pets/', '/v1/pets'],
    ['/v1//pets', '/v1/pets'],
    ['/pets/5', '/v1/pets/5'],
    ['/api/v1/pets', '/v1/pets'],
    ['/v2/pets', '/v1/pets'],
    ['/api/pets/5', '/v1/pets/5'],
    ['/v1/graphql', '/graphql'],
    ['/graphql/', '/graphql'],
  ])('suggests the path that was probably meant: %s', async (path, meant) => {
    const answer = await client.get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain(`There is nothing at this path. Did you mean ${meant}?`);
  });

  it.each([
    ['PUT', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['POST', '/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['PROPFIND', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
  ])('answers 405 with Allow for %s %s', async (method, path, allow) => {
    const answer = await gateway.request(path, { method, key: client.secret });
    await expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('answers 204 with Allow to OPTIONS', async () => {
    const answer = await gateway.request('/v1/pets', { method: 'OPTIONS', key: client.secret });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    expectCommonHeaders(answer);
  });

  it.each(['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method', '_method'])(
    'ignores the header %s',
    async (header) => {
      expect((await client.post(PET, { [header]: 'DELETE' })).status).toBe(201);
      expect((await client.get('/v1/pets?limit=1', { [header]: 'POST' })).status).toBe(200);
    },
  );

  it.each(['text/html', 'application/xml;q=1, text/*', 'application/json;q=0'])(
    'answers 406 for Accept: %s',
    async (accept) => {
      await expectError(await client.get('/v1/pets', { accept }), 406, 'not_acceptable');
      await expectError(await client.post(PET, { accept }), 406, 'not_acceptable');
    },
  );

  it('charges 1 for a request that it answers with 406', async () => {
    const left = async (accept: string) =>
      Number((await client.get('/v1/pets', { accept })).headers.get('x-ratelimit-remaining'));
    const before = await left('application/json');
    expect(await left('text/html')).toBe(before - 1);
    expect(await left('application/json')).toBe(before - 2);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/*',
    '*/*',
    'text/html, */*;q=0.1',
  ])('answers 200 for Accept: %s', async (accept) =>
    expect((await client.get('/v1/pets', { accept })).status).toBe(200),
  );

  it('answers 403 forbidden to a browser key', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE, {
      role: 'browser',
      allowedOrigins: ['https://shop.example'],
    });
    const headers = { origin: 'https://shop.example' };
    const answer = await gateway.request('/v1/pets', { key: secret, headers });
    await expectError(answer, 403, 'forbidden');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the media type of a body', () => {
  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-patch+json',
    'application/graphql-response+json',
    'json',
    'application/',
    ';',
  ])('answers 415 for Content-Type: %s', async (type) => {
    await expectError(await client.post(PET, { 'content-type': type }), 415, 'unsupported_media_type');
  });

  it.each(['utf-16', 'UTF-16LE', 'latin1', 'iso-8859-1', 'utf-7', 'ascii', "'utf-8'", 'utf-8x'])(
    'answers 415 for charset=%s, over GraphQL too',
    async (charset) => {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      await expectError(await client.post(PET, headers), 415, 'unsupported_media_type');
      const init = { method: 'POST', key: client.secret, headers, body: '{"query":"{ __typename }"}' };
      expect((await gateway.request('/graphql', init)).status).toBe(415);
    },
  );

  it('answers 415 for no Content-Type', async () => {
    const answer = await gateway.request('/v1/pets', {
      method: 'POST',
      key: client.secret,
      body: new Uint8Array(Buffer.from(PET)),
    });
    await expectError(answer, 415, 'unsupported_media_type');
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; Charset="Utf-8"',
    'application/json; charset=utf8',
    'application/json; charset=UTF8',
    'application/json; profile=x',
  ])('answers 201 for Content-Type: %s', async (type) => {
    expect((await client.post(PET, { 'content-type': type })).status).toBe(201);
  });
});

describe('the size of a body', () => {
  const padded = (bytes: number) => PET.padEnd(bytes, ' ');

  it('answers 201 at 64 KiB and 413 one byte past it', async () => {
    expect((await client.post(padded(65_536))).status).toBe(201);
    const answer = await client.post(padded(65_537));
    await expectError(answer, 413, 'payload_too_large');
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('answers 413 for a body that is sent in chunks, of no known length', async () => {
    const body = new Blob([padded(200_000)]).stream();
    const answer = await gateway.request('/v1/pets', {
      method: 'POST',
      key: client.secret,
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    });
    await expectError(answer, 413, 'payload_too_large');
  });
});

describe('the order of checks', () => {
  const send = (path: string, init: RequestInit & { key?: string }) => gateway.request(path, init);
  const faulty = {
    headers: { 'content-type': 'text/plain', 'content-encoding': 'compress', accept: 'text/html' },
    body: '{',
  };

  it('is 401 before 413 before 404 before 405 before 406 before 415 before 400', async () => {
    const { secret: key } = client;
    await expectError(await send('/v1/x', { method: 'PUT', ...faulty, body: TOO_LARGE }), 401);
    const large = { headers: {}, body: TOO_LARGE };
    await expectError(await send('/v1/x', { method: 'PUT', key, ...large }), 413);
    await expectError(await send('/v1/x', { method: 'PUT', key, ...faulty }), 404);
    await expectError(await send('/v1/pets', { method: 'PUT', key, ...faulty }), 405);
    await expectError(await send('/v1/pets?x=1', { method: 'POST', key, ...faulty }), 406);
    const readable = { ...faulty.headers, accept: '*/*' };
    await expectError(await send('/v1/pets?x=1', { method: 'POST', key, body: '{', headers: readable }), 415);
    const typed = { 'content-type': 'application/json' };
    await expectError(await send('/v1/pets', { method: 'POST', key, body: '{', headers: typed }), 400);
  });

  it('is 429 before the body, the path and everything else of it', async () => {
    const { secret: key } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 10 });
    expect((await send('/v1/pets', { key })).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/pets'],
      ['GET', '/v1/nothing'],
      ['DELETE', '/v1/pets'],
      ['HEAD', '/v1/pets'],
    ] as const) {
      const answer = await send(path, { method, key });
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expectCommonHeaders(answer);
    }
  });

  it('charges 1 for every error after the charge, and nothing for errors before it', async () => {
    const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
    const remaining = async (path: string, init: RequestInit) =>
      Number((await send(path, { key, ...init })).headers.get('x-ratelimit-remaining'));
    const first = await remaining('/v1/pets', {});
    const charged: [string, RequestInit][] = [
      ['/v1/pets/999', {}],
      ['/v1/pets?limit=0', {}],
      ['/v1/nothing', {}],
      ['/v1/pets', { method: 'HEAD' }],
      ['/v1/pets', { method: 'PUT' }],
      ['/v1/pets', { method: 'POST', ...faulty }],
      ['/v1/nothing', { method: 'POST', ...faulty }],
      ['/v1/pets', { headers: { accept: 'text/html' } }],
      ['/v1/pets', { headers: { 'if-none-match': '*' } }],
    ];
    const seen: number[] = [];
    for (const [path, init] of charged) seen.push(await remaining(path, init));
    expect(seen).toEqual(charged.map((_, i) => first - 1 - i));
    expect(await remaining('/v1/pets', { method: 'POST', body: TOO_LARGE })).toBe(first - charged.length);
  });
});

describe('the key store is down', () => {
  it('answers 503 with Retry-After, never 401, and never 500', async () => {
    const node = await startGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '100000' } });
    const { secret: seen } = await node.keyOn('enterprise', AMPLE);
    const { secret: unseen } = await node.keyOn('enterprise', AMPLE);
    expect((await node.request('/v1/pets', { key: seen })).status).toBe(200);
    // The gateway's own connection, ended beneath it: every later operation fails.
    const connection = mongoose.connections.find(
      ({ name, readyState }) =>
        name === node.databaseName && readyState === mongoose.ConnectionStates.connected,
    );
    await connection?.getClient().close();
    try {
      for (const key of [unseen, seen]) {
        const answer = await node.request('/v1/pets', { key });
        await expectError(answer, 503, 'service_unavailable');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
        expect(answer.headers.has('www-authenticate')).toBe(false);
      }
      // No look-up is needed to see that these are no keys. The requests before count as none without a key.
      const unauthenticated = await node.request('/v1/pets');
      await expectError(unauthenticated, 401);
      expect(unauthenticated.headers.get('x-ratelimit-remaining')).toBe('99999');
      await expectError(await node.request('/v1/pets', { key: unknownKey }), 401);
    } finally {
      await node.close().catch(() => undefined);
    }
  });
});

describe('HEAD', () => {
  it('answers as GET without a body', async () => {
    const got = await client.get('/v1/pets?limit=2');
    const head = await gateway.request('/v1/pets?limit=2', { method: 'HEAD', key: client.secret });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['content-type', 'content-length', 'etag', 'link', 'cache-control', 'vary'])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    expectCommonHeaders(head);
  });

  it.each([
    ['/v1/pets/999999', 404],
    ['/v1/pets?limit=0', 400],
    ['/v1/nothing', 404],
  ])('answers the error of %s with its headers alone', async (path, status) => {
    const head = await gateway.request(path, { method: 'HEAD', key: client.secret });
    expect(head.status).toBe(status);
    expect(head.headers.get('content-type')).toBe('application/json');
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expectCommonHeaders(head);
  });
});

describe('ETag', () => {
  it('makes a repeated read 304 until what it reads has changed', async () => {
    const etag = (await client.get('/v1/pets?status=sold')).headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const again = await client.get('/v1/pets?status=sold', { 'if-none-match': `"x", ${etag}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('vary')).toBe('Authorization, Origin, Accept, Accept-Encoding');
    expectCommonHeaders(again);

    await client.created('{"name":"Rex","categoryId":7,"status":"sold"}');
    expect((await client.get('/v1/pets?status=sold', { 'if-none-match': etag })).status).toBe(200);
  });

  it('tells a single pet from another', async () => {
    const [a, b] = await Promise.all([client.created(PET), client.created(PET)]);
    const path = (text: string) => `/v1/pets/${(JSON.parse(text) as { id: number }).id}`;
    const etag = (await client.get(path(a))).headers.get('etag') ?? '';
    expect((await client.get(path(a), { 'if-none-match': etag })).status).toBe(304);
    expect((await client.get(path(b), { 'if-none-match': etag })).status).toBe(200);
  });
});

describe('CORS', () => {
  const preflight = (path: string, origin: string) =>
    gateway.request(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it.each([
    ['/v1/pets', 'https://shop.example'],
    ['/v1/pets/5', 'null'],
    ['/v1/nothing', 'http://localhost:5173'],
    ['/', 'capacitor://localhost'],
    ['/graphql', 'https://shop.example'],
  ])('answers a preflight for %s from %s with 204, without a key', async (path, origin) => {
    const answer = await preflight(path, origin);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PATCH, DELETE');
    expect(answer.headers.get('access-control-max-age')).toBe('7200');
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    expectCommonHeaders(answer);
  });

  it('charges a preflight nothing', async () => {
    const left = async () =>
      (await preflight('/v1/pets', 'https://shop.example')).headers.get('x-ratelimit-remaining');
    expect(await left()).toBe(await left());
  });

  it.each([
    ['200', '/v1/pets', {}],
    ['400', '/v1/pets?limit=0', {}],
    ['401', '/v1/pets', { authorization: 'Bearer x' }],
    ['404', '/v1/nothing', {}],
  ])('lets a page read the answer %s and its headers', async (status, path, headers) => {
    const answer = await client.get(path, { origin: 'https://shop.example', ...headers });
    expect(answer.status).toBe(Number(status));
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        ...[
          'X-RateLimit-Limit',
          'X-RateLimit-Remaining',
          'X-RateLimit-Reset',
          'RateLimit-Policy',
          'RateLimit',
        ],
        ...['Link', 'ETag', 'Retry-After', 'X-Request-Id', 'Deprecation', 'Sunset', 'Idempotency-Replayed'],
      ]),
    );
  });
});

describe('X-Request-Id', () => {
  it.each(['a', 'trace-1.2_3', 'x'.repeat(128)])('keeps the client’s harmless %.20s', async (id) => {
    const answer = await client.get('/v1/nothing', { 'x-request-id': id });
    expect((await expectError(answer, 404)).requestId).toBe(id);
  });

  const UUID = /^[0-9a-f-]{36}$/;
  const send = (...lines: string[]) => {
    const key = `Authorization: Bearer ${client.secret}`;
    const request = rawHead('GET /v1/nothing HTTP/1.1', 'Host: x', 'Connection: close', key, ...lines);
    return sendRaw(gateway.url, Buffer.from(request, 'latin1'));
  };

  it.each([
    ...['x'.repeat(129), 'a b', 'a,b', 'a"b', 'ü', 'a;b', 'x'.repeat(10_000), 'a\tb', 'a\x85b'],
    ...['a%0d%0aSet-Cookie:x=1', '","level":60,"msg":"x', '<img src=x onerror=alert(1)>', '../../etc/passwd'],
  ])('replaces %.20j, which is not harmless', async (id) => {
    const answer = await send(`X-Request-Id: ${id}`);
    expect(expectRawError(answer, 404).requestId).toMatch(UUID);
    expect(answer.headers.get('x-request-id')).toMatch(UUID);
    expect(answer.head).not.toContain('Set-Cookie');
  });

  it('replaces one with a control character, with which there is no request', async () => {
    expect(expectRawError(await send('X-Request-Id: \x1b[2J'), 400).requestId).toMatch(UUID);
  });

  it('that carries a line break is two headers, of which neither comes back', async () => {
    const answer = await send('X-Request-Id: a\r\nSet-Cookie: x=1');
    expectRawError(answer, 404, 'not_found');
    expect(answer.head.toLowerCase()).not.toContain('set-cookie');
  });

  it('replaces one that is sent twice', async () => {
    const answer = await send('X-Request-Id: a', 'X-Request-Id: b');
    expect(expectRawError(answer, 404).requestId).toMatch(UUID);
  });

  it('is another one for each request', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await client.get('/v1/pets')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

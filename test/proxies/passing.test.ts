import { readFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';
import { gzipSync } from 'node:zlib';
import {
  DOCUMENTED_PROXIES,
  startDocumentedProxy,
  type ProxyAnswer,
  type RunningProxy,
} from '../support/documented-proxies.js';
import { tapGateway, type Tap } from '../support/gateway-tap.js';
import { useGateway } from '../support/gateway.js';
import { holdRequests, type HeldRequest } from '../http/load/held-requests.js';
import { AMPLE } from '../support/rest-client.js';

const UNAUTHENTICATED_PER_MINUTE = 20;
const MAX_IN_FLIGHT = 6;
const MIB = 1024 * 1024;
const gateway = useGateway({
  env: {
    TRUST_PROXY: 'loopback',
    ANONYMOUS_REQUESTS_PER_MINUTE: String(UNAUTHENTICATED_PER_MINUTE),
    MAX_REQUESTS_IN_FLIGHT: String(MAX_IN_FLIGHT),
  },
});

/** Enough for a page that proxies compress. */
beforeAll(async () => {
  const { secret } = await gateway.keyOn('enterprise', AMPLE);
  for (let i = 0; i < 60; i += 1) {
    const body = JSON.stringify({ name: `${i}`.padEnd(255, 'é'), categoryId: i });
    await gateway.request('/v1/pets', { key: secret, method: 'POST', headers: json(secret), body });
  }
});

const authorized = (secret: string) => ({ authorization: `Bearer ${secret}` });
const json = (secret: string) => ({ ...authorized(secret), 'content-type': 'application/json' });

interface Exchange {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** As a client of the gateway itself gets it. */
const askGateway = ({ method = 'GET', path, headers = {}, body }: Exchange) =>
  new Promise<ProxyAnswer>((resolve, reject) => {
    const asked = request(gateway.url + path, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () =>
        resolve({
          ...{ status: answer.statusCode ?? 0, headers: answer.headers, rawHeaders: answer.rawHeaders },
          body: text,
        }),
      );
    });
    asked.on('error', reject).end(body);
  });

/** Of one connection, or the proxy's own. */
const OF_THE_CONNECTION = [
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', 'server', 'via', 'alt-svc'],
];

/** What must be the same with and without a proxy; numbers and cursors differ from request to request. */
function essence({ status, rawHeaders, body }: ProxyAnswer) {
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || OF_THE_CONNECTION.includes(name.toLowerCase())
      ? []
      : [
          `${name.toLowerCase()}: ${(rawHeaders[at + 1] ?? '').replaceAll(/\d+/g, '#').replaceAll(', ', ',')}`,
        ],
  );
  return { status, headers: headers.toSorted(), body: body.replaceAll(/\d+/g, '#') };
}

describe.each(DOCUMENTED_PROXIES)('%s, configured as docs/proxy.md says', (name) => {
  let tap: Tap;
  let proxy: RunningProxy;
  beforeAll(async () => {
    tap = await tapGateway(gateway.url);
    proxy = await startDocumentedProxy(name, tap.hosts);
  });
  afterAll(async () => {
    await proxy.close();
    await tap.close();
  });

  /** The last request that reached the gateway through the proxy, with this value of X-Request-Id. */
  const received = (id: string) => tap.requests.findLast(({ head }) => head.includes(id))?.head ?? '';
  const headersOf = (head: string, header: string) =>
    head
      .split('\r\n')
      .filter((line) => line.toLowerCase().startsWith(`${header}:`))
      .map((line) => line.slice(header.length + 1).trim());

  test('passes every response on with all its headers', async () => {
    const quota = { requestsPerMinute: 14, requestsPerDay: 1000 };
    const keys = await Promise.all([1, 2].map(() => gateway.keyOn('enterprise', quota)));
    const exchanges = ({ secret }: { secret: string }): Exchange[] => [
      ...[1, 2].map((n) => ({
        ...{ method: 'POST', path: '/v1/pets', headers: json(secret) },
        body: JSON.stringify({ name: `Pixel ${n}`, categoryId: 2 }),
      })),
      { path: '/v1/pets?limit=1', headers: authorized(secret) },
      { method: 'HEAD', path: '/v1/pets?limit=1', headers: authorized(secret) },
      { path: '/v1/pets/1', headers: authorized(secret) },
      { path: '/v1/pets?limit=0', headers: authorized(secret) },
      { path: '/v1/nothing', headers: authorized(secret) },
      { method: 'PUT', path: '/v1/pets', headers: json(secret), body: '{}' },
      {
        method: 'OPTIONS',
        path: '/v1/pets',
        headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
      },
      {
        ...{ method: 'POST', path: '/graphql', headers: json(secret) },
        body: JSON.stringify({ query: '{ plans { id } }' }),
      },
      { path: '/v1/pets', headers: authorized('pets_live_unknown') },
      ...Array.from({ length: 6 }, () => ({ path: '/v1/pets?limit=1', headers: authorized(secret) })),
    ];
    const [direct = [], through = []] = keys.map((key) =>
      exchanges(key).map((exchange, at) => ({
        ...exchange,
        headers: { ...exchange.headers, 'x-request-id': `exchange-${at}` },
      })),
    );
    const statuses = new Set<number>();
    for (const [at, exchange] of direct.entries()) {
      // Links name the address that the client used.
      const asClient = { host: proxy.host, 'x-forwarded-proto': 'https' };
      const expected = await askGateway({ ...exchange, headers: { ...exchange.headers, ...asClient } });
      const sent = through[at] ?? exchange;
      const answer = await proxy.ask(sent.path, sent);
      statuses.add(answer.status);
      // Each create has a pet of its own.
      const both = [answer, expected].map(essence);
      if (exchange.method === 'POST' && exchange.path === '/v1/pets')
        for (const each of both)
          each.headers = each.headers.map((line) => line.replace(/^etag: .*/, 'etag: …'));
      expect(both[0]).toEqual(both[1]);
    }
    expect([...statuses].toSorted()).toEqual([200, 201, 204, 400, 401, 404, 405, 429]);
  });

  test('passes requests on with their path, their Host and their key, and replaces what says who asks', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE);
    const path = '/v1/pets/%35%2Fx//y?status=%61vailable&a=%2F';
    await proxy.ask(path, {
      headers: {
        ...authorized(secret),
        ...{
          'x-request-id': `request-${name}`,
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
        ...{ 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'http', 'accept-encoding': 'br' },
      },
    });
    const head = received(`request-${name}`);
    expect(head.split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`);
    expect(headersOf(head, 'host')).toEqual([proxy.host]);
    expect(headersOf(head, 'authorization')).toEqual([`Bearer ${secret}`]);
    expect(headersOf(head, 'traceparent')).toHaveLength(1);
    expect(headersOf(head, 'x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(headersOf(head, 'x-forwarded-proto')).toEqual(['https']);
  });

  test('the client is the address that connects to the proxy, whatever it claims', async () => {
    const localAddress = `127.0.0.${10 + DOCUMENTED_PROXIES.indexOf(name)}`;
    const statuses: number[] = [];
    for (let i = 0; i <= UNAUTHENTICATED_PER_MINUTE; i += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${i + 1}` };
      statuses.push((await proxy.ask('/v1/pets', { headers, localAddress })).status);
    }
    expect([statuses.at(0), statuses.at(-1)]).toEqual([401, 429]);
    expect((await proxy.ask('/v1/pets', { localAddress: '127.0.0.2' })).status).toBe(401);
  });

  test.each([[undefined], ['gzip']])(
    'an ETag that it passed on leads to 304, with Accept-Encoding: %s',
    async (encoding) => {
      const { secret } = await gateway.keyOn('enterprise', AMPLE);
      const headers = { ...authorized(secret), ...(encoding && { 'accept-encoding': encoding }) };
      for (const path of ['/v1/pets?limit=100', '/dashboard']) {
        const read = await proxy.ask(path, { headers });
        expect(read.headers['content-encoding']).toBe(encoding);
        const again = await proxy.ask(path, {
          headers: { ...headers, 'if-none-match': read.headers.etag ?? '' },
        });
        expect([path, read.status, again.status]).toEqual([path, 200, 304]);
      }
    },
  );

  test('speaks HTTP/2 with clients', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE);
    const session = connect(`https://127.0.0.1:${proxy.port}`, {
      ca: readFileSync(proxy.ca),
      servername: 'localhost',
    });
    const stream = session.request({ ':path': '/v1/pets', ':authority': proxy.host, ...authorized(secret) });
    const headers = await new Promise<IncomingHttpHeaders & { ':status'?: number }>((resolve, reject) => {
      stream.on('response', resolve).on('error', reject).resume();
    });
    session.close();
    expect(headers[':status']).toBe(200);
    expect(headers['ratelimit-policy']).toContain('"minute"');
  });

  test('does not forward the metrics, with an admin key neither', async () => {
    const { secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
    for (const path of ['/metrics', '/metrics?x=1']) {
      const answer = await proxy.ask(path, { headers: authorized(secret) });
      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json']);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'not_found', status: 404 });
    }
  });

  describe('bodies', () => {
    test('compressed, and streamed in pieces without a length', async () => {
      const { secret } = await gateway.keyOn('enterprise', AMPLE);
      const whole = gzipSync(JSON.stringify({ name: 'x'.repeat(255), categoryId: 2 }));
      const pieces = [whole.subarray(0, 10), whole.subarray(10, 20), whole.subarray(20)];
      for (const body of [whole, pieces]) {
        const headers = { ...json(secret), 'content-encoding': 'gzip' };
        expect((await proxy.ask('/v1/pets', { method: 'POST', headers, body })).status).toBe(201);
      }
    });

    test('a large page of animals', async () => {
      const { secret } = await gateway.keyOn('enterprise', AMPLE);
      const page = { path: '/v1/pets?limit=100', headers: authorized(secret) };
      const [direct, through] = [await askGateway(page), await proxy.ask(page.path, page)];
      expect(through.body).toBe(direct.body);
      expect(through.body.length).toBeGreaterThan(15_000);
    });

    test('an archive of 12 MiB reaches the gateway; the gateway and the proxy reject larger bodies', async () => {
      const { secret } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
      const put = (bytes: number, type = 'application/gzip') =>
        proxy.ask('/deploys/dep_x/archive', {
          method: 'PUT',
          headers: { ...authorized(secret), 'content-type': type, 'content-length': String(bytes) },
          body: Buffer.alloc(bytes, 'x'),
        });
      const codeOf = (answer: ProxyAnswer) => (JSON.parse(answer.body) as { code: string }).code;

      const archive = await put(12 * MIB);
      expect([archive.status, codeOf(archive)]).toEqual([404, 'not_found']);
      const json = await proxy.ask('/v1/pets', {
        method: 'POST',
        headers: { ...authorized(secret), 'content-type': 'application/json' },
        body: Buffer.alloc(64 * 1024 + 1, ' '),
      });
      expect([json.status, codeOf(json)]).toEqual([413, 'payload_too_large']);
      expect(json.headers['ratelimit-policy']).toContain('"minute"');
    });
  });

  test('headers of 15 KiB reach the gateway', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE);
    const long = Object.fromEntries(['a', 'b'].map((x) => [`x-${x}`, x.repeat(7 * 1024)]));
    expect((await proxy.ask('/v1/pets', { headers: { ...authorized(secret), ...long } })).status).toBe(200);
    const more = await proxy.ask('/v1/pets', { headers: { ...long, 'x-c': 'c'.repeat(7 * 1024) } });
    expect([more.status, more.headers['content-type']]).toEqual([431, 'application/json']);
  });

  test('keeps its connections to the gateway', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE);
    const agent = proxy.keepingAgent();
    const before = tap.requests.length;
    for (let i = 0; i < 50; i += 1) await proxy.ask('/v1/pets', { headers: authorized(secret), agent });
    agent.destroy();
    const mine = tap.requests.slice(before).filter(({ head }) => head.includes(secret));
    expect(mine).toHaveLength(50);
    expect(mine.filter(({ idleMs }) => idleMs === undefined).length).toBeLessThanOrEqual(5);
  });

  test('passes the 503 of an overloaded gateway on, with its Retry-After', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE);
    const hold = holdRequests(gateway);
    const held: HeldRequest[] = [];
    // One key alone is not given every place.
    while (held.length < MAX_IN_FLIGHT) held.push(await hold((await gateway.keyOn('pro')).secret));
    try {
      const headers = { ...json(secret), accept: 'application/graphql-response+json' };
      const body = JSON.stringify({ query: '{ plans { id } }' });
      const before = tap.requests.length;
      const answer = await proxy.ask('/graphql', { method: 'POST', headers, body });
      expect([answer.status, answer.body]).toEqual([503, expect.anything()]);
      expect(answer.headers['content-type']).toContain('application/graphql-response+json');
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(tap.requests.slice(before).filter(({ head }) => head.startsWith('POST'))).toHaveLength(1);
    } finally {
      await Promise.all(held.map((each) => each.abort()));
    }
  });
});

import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { createAuthority, type Authority } from '../../support/authority.js';
import { useStarted } from '../../support/gateway.js';
import { answerOf, ask, begin, connectHttp2 } from '../../support/http2-client.js';
import { until } from '../../support/until.js';
import { certify, createBrowser, holdDomain, startVisited, visitSecurely } from './domains.js';
import { createStore, publish, type Store } from './visitor.js';

/** What HTTPS promises over HTTP/1.1 (domains-https.test.ts and others) holds over HTTP/2. */
const NAME = 'www.one.example';
const OTHER = 'www.two.example';
const LARGE = 'x'.repeat(3_000_000);
const PAGE = '<p>' + 'the shop '.repeat(1000);

let session: ClientHttp2Session;
afterAll(() => session.destroy());
const gateway = useStarted(() => startVisited({ env: { HSTS_SECONDS: '300' } }));
let authority: Authority;
let store: Store;
const connectTo = (name: string, node = gateway) => connectHttp2(node.httpsPort, name, authority.root);

beforeAll(async () => {
  authority = await createAuthority();
  store = await createStore(gateway);
  await publish(gateway, store.project.id, { 'index.html': PAGE, 'large.bin': LARGE });
  for (const name of [NAME, OTHER])
    await certify(gateway, authority, await holdDomain(gateway, store.project.id, name));
  session = await connectTo(NAME);
});

test('clients that offer no HTTP/2 get HTTP/1.1 from the same port', async () => {
  const browser = createBrowser(authority, { keepAlive: false });
  expect((await visitSecurely(browser, gateway, NAME)).status).toBe(200);
  expect(session.alpnProtocol).toBe('h2');
});

test('HTTP2=0 turns it off', async () => {
  const other = await startVisited({ beside: gateway, env: { HTTP2: '0' } });
  await expect(connectTo(NAME, other)).rejects.toThrow();
  await other.close();
});

test('the same response as over HTTP/1.1: compressed, conditional, in part, without a body', async () => {
  const browser = createBrowser(authority, { keepAlive: false });
  const http1 = await visitSecurely(browser, gateway, NAME, '/', { headers: { 'x-request-id': 'one' } });
  const http2 = await ask(session, { ':path': '/', 'x-request-id': 'one' });
  const { connection: _connection, 'keep-alive': _keepAlive, date: _date, ...expected } = http1.headers;
  const { ':status': _status, date, ...found } = http2.headers;
  expect(Object.entries(found)).toEqual(Object.entries(expected));
  expect(date).toEqual(expect.any(String));
  expect(http2.text).toBe(http1.text);

  const compressed = begin(session, { ':path': '/', 'accept-encoding': 'gzip' });
  const chunks: Buffer[] = [];
  for await (const chunk of compressed) chunks.push(chunk as Buffer);
  expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(PAGE);

  const etag = String(http2.headers.etag);
  expect(await ask(session, { ':path': '/', 'if-none-match': etag })).toMatchObject({
    status: 304,
    text: '',
  });
  const part = await ask(session, { ':path': '/', range: 'bytes=0-2' });
  expect(part).toMatchObject({ status: 206, text: '<p>' });
  const head = await ask(session, { ':path': '/large.bin', ':method': 'HEAD' });
  expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(LARGE.length), '']);
  expect((await ask(session, { ':path': '/large.bin' })).text).toBe(LARGE);
});

test('one connection carries many requests at once, and the last of them is answered too', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(session, { ':path': '/' })));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`))).toEqual(
    new Set([`200 ${PAGE.length}`]),
  );
});

test("a site's /graphql: a query in a body without a length", async () => {
  const stream = begin(
    session,
    {
      ':method': 'POST',
      ':path': '/graphql',
      'content-type': 'application/json',
      authorization: `Bearer ${store.secret}`,
    },
    true,
  );
  stream.write('{"query":"{ pets ');
  stream.end('{ name } }"}');
  const answer = await answerOf(stream);
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { data: { pets: [] } }]);
  expect(answer.headers['ratelimit-policy']).toContain('"client"');
});

describe('each request is for the host of its connection', () => {
  test.each([
    ['another host that is served', OTHER],
    ["the platform's host", 'pets.localhost'],
  ])('421 for %s', async (_what, authorityOfRequest) => {
    const answer = await ask(session, { ':path': '/', ':authority': authorityOfRequest });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([421, { code: 'misdirected_request' }]);
    expect((await ask(session, { ':path': '/' })).status).toBe(200);
  });

  test('a Host header beside :authority must agree with it', async () => {
    expect((await ask(session, { ':path': '/', host: NAME })).status).toBe(200);
    const answer = await ask(session, { ':path': '/', host: OTHER });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { code: 'invalid_request' }]);
    const only = begin(session, { ':path': '/', ':authority': '', host: OTHER });
    expect((await answerOf(only)).status).not.toBe(200);
  });
});

test('after its removal, a domain is gone for the next request of an open connection, not for one under way', async () => {
  const domain = await holdDomain(gateway, store.project.id, 'removed.one.example');
  await certify(gateway, authority, domain);
  const own = await connectTo(domain.name);
  const underWay = begin(own, { ':path': '/large.bin' });
  await once(underWay, 'response');
  underWay.pause();
  await gateway.services.administration({ role: 'command line' }).removeDomain(domain.id);
  expect((await ask(own, { ':path': '/' })).status).toBe(421);
  underWay.resume();
  expect((await answerOf(underWay)).text.length).toBeGreaterThan(0);
  own.destroy();
  await expect(connectTo(domain.name)).rejects.toThrow();
});

describe('what the gateway itself refuses is an Error object too', () => {
  test('headers over 16 KiB: 431', async () => {
    const headers = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`x-${i}`, 'a'.repeat(4000)]));
    const answer = await ask(session, { ':path': '/', ...headers });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      431,
      { code: 'request_headers_too_large' },
    ]);
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': expect.any(String) as string });
  });

  test('CONNECT: 400', async () => {
    const stream = session.request({ ':method': 'CONNECT', ':authority': NAME });
    const answer = await answerOf(stream);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { code: 'invalid_request' }]);
  });

  test('a body over the limit: 413, and the connection goes on', async () => {
    const headers = { ':path': '/graphql', 'content-type': 'application/json' };
    const authorization = `Bearer ${store.secret}`;
    const large = await ask(
      session,
      { ':method': 'POST', ...headers, authorization },
      Buffer.alloc(70_000, ' '),
    );
    expect([large.status, JSON.parse(large.text)]).toMatchObject([413, {}]);
    expect((await ask(session, { ':path': '/' })).status).toBe(200);
  });
});

test('the log and the metrics have each request, also one that its client cancels', async () => {
  const lineOf = (id: string) => gateway.logLines.find((line) => line.includes(`"requestId":"${id}"`));
  await ask(session, { ':path': '/large.bin', 'x-request-id': 'whole' });
  const left = begin(session, { ':path': '/large.bin', 'x-request-id': 'left' });
  await once(left, 'response');
  left.close(8);
  await until('both lines', () =>
    Promise.resolve(lineOf('whole') !== undefined && lineOf('left') !== undefined),
  );
  expect(JSON.parse(lineOf('whole') ?? '')).toMatchObject({
    status: 200,
    path: '/large.bin',
    interface: 'site',
  });
  expect(JSON.parse(lineOf('left') ?? '')).toMatchObject({ status: 499 });
  expect(gateway.services.load.state().inFlight).toBe(0);
});

test('a stop completes the requests of a connection, and tells the client to send no more', async () => {
  const other = await startVisited({ beside: gateway });
  const own = await connectTo(NAME, other);
  const idle = await connectTo(NAME, other);
  const idleEnded = once(idle, 'close');
  const underWay = begin(own, { ':path': '/large.bin' });
  await once(underWay, 'response');
  const goaway = once(own, 'goaway');
  const stopped = other.close(60_000);
  const [code] = (await goaway) as [number];
  expect(code).toBe(0);
  expect((await answerOf(underWay)).text).toHaveLength(LARGE.length);
  await Promise.all([stopped, idleEnded]);
});

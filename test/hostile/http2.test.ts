import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { createApp } from '../../src/app/app.js';
import { unauthenticatedHeaders } from '../../src/http/answers/rate-limit-headers.js';
import {
  createGatewayServer,
  type ClientTimeouts,
  type GatewayServer,
} from '../../src/http/server/server.js';
import { certify, holdDomain, startVisited } from '../interfaces/sites/domains.js';
import { createStore, publish, type Store } from '../interfaces/sites/visitor.js';
import { createAuthority, type Authority } from '../support/authority.js';
import { useStarted } from '../support/gateway.js';
import { answerOf, ask, begin, connectHttp2 } from '../support/http2-client.js';
import {
  connectRaw,
  field,
  FLAG,
  frame,
  FRAME,
  get,
  getFields,
  integer,
  u32,
  type RawHttp2,
} from '../support/http2-frames.js';
import { until } from '../support/until.js';

/** Clients that use HTTP/2 against the gateway. Meanwhile, another client is answered. */
const NAME = 'www.one.example';
const LARGE = 'x'.repeat(3_000_000);

const servers: GatewayServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.drain(0);
});
const gateway = useStarted(startVisited);
let authority: Authority;
let store: Store;
beforeAll(async () => {
  authority = await createAuthority();
  store = await createStore(gateway);
  await publish(gateway, store.project.id, { 'index.html': 'the shop', 'large.bin': LARGE });
  await certify(gateway, authority, await holdDomain(gateway, store.project.id, NAME));
});

const attack = (port = gateway.httpsPort) => connectRaw(port, NAME, authority.root);

/** An ordinary client on a connection of its own. */
async function expectAlive(): Promise<void> {
  const session = await connectHttp2(gateway.httpsPort, NAME, authority.root);
  expect(await ask(session, { ':path': '/' })).toMatchObject({ status: 200, text: 'the shop' });
  session.destroy();
}

/** Sends without end, as fast as the gateway reads, until the connection closes. Returns how often. */
async function flood({ socket }: RawHttp2, next: (i: number) => Buffer): Promise<number> {
  let i = 0;
  while (socket.writable) {
    if (!socket.write(next(i++)))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
    await turn();
  }
  return i;
}

/** As many copies in one write. */
const copies = (one: Buffer, times = 500) => Buffer.concat(Array.from({ length: times }, () => one));
const post = (...fields: Buffer[]) =>
  frame(
    FRAME.headers,
    FLAG.endHeaders,
    1,
    Buffer.concat([
      field(':method', 'POST'),
      field(':scheme', 'https'),
      field(':path', '/graphql'),
      field(':authority', NAME),
      field('content-type', 'application/json'),
      field('authorization', `Bearer ${store.secret}`),
      ...fields,
    ]),
  );
const reset = (stream: number) => frame(FRAME.reset, 0, stream, u32(8));

test('a request that is reset in the packet that brings it does not end the process, also if it expects 100', async () => {
  const client = await attack();
  // The window stays closed, so a write is under way, and Node handles the next packet in one turn.
  client.send(frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])));
  client.send(frame(FRAME.headers, FLAG.endHeaders, 1, getFields(NAME, '/large.bin')));
  await until('a response to begin', () =>
    Promise.resolve(client.frames.some(({ type, stream }) => type === FRAME.headers && stream === 1)),
  );
  for (let stream = 3; stream < 40; stream += 2)
    client.send(
      frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
      frame(FRAME.data, 0, 1, Buffer.alloc(1)),
      frame(
        FRAME.headers,
        FLAG.endHeaders,
        stream,
        Buffer.concat([getFields(NAME), field('expect', '100-continue')]),
      ),
      reset(stream),
    );
  await expectAlive();
  client.socket.destroy();
});

test('a header named like a property of every object is a header like others', async () => {
  const session = await connectHttp2(gateway.httpsPort, NAME, authority.root);
  const path = '/graphql?query=%7B__typename%7D';
  const headers = { ':path': path, authorization: `Bearer ${store.secret}` };
  for (const name of ['constructor', '__proto__'])
    expect(await ask(session, { ...headers, [name]: 'x' })).toMatchObject({ status: 200 });
  session.destroy();
});

describe('a flood ends with its connection, and others are answered meanwhile', () => {
  const PING = copies(frame(FRAME.ping, 0, 0, Buffer.alloc(8)));
  const SETTINGS = copies(frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 1, 0, 0])));
  const WINDOW = copies(frame(FRAME.windowUpdate, 0, 0, u32(1)));
  const PRIORITY = copies(frame(FRAME.priority, 0, 1, Buffer.from([0, 0, 0, 3, 1])));
  const UNKNOWN = copies(frame(0x5f, 0, 0, Buffer.alloc(8)));
  const EMPTY = copies(frame(FRAME.data, 0, 1));
  const OVERFLOW = u32(0x7f_ff_ff_ff);
  const idOf = (i: number) => 2 * i + 1;

  test.each<[string, (i: number) => Buffer]>([
    ['PING', () => PING],
    ['SETTINGS', () => SETTINGS],
    ['WINDOW_UPDATE', () => WINDOW],
    ['PRIORITY', () => PRIORITY],
    ['frames of an unknown type', () => UNKNOWN],
    ['empty DATA', (i) => (i === 0 ? post() : EMPTY)],
    [
      'requests cancelled at once (CVE-2023-44487)',
      (i) => Buffer.concat([get(idOf(i), NAME), reset(idOf(i))]),
    ],
    [
      'requests that the gateway has to reset (CVE-2025-8671)',
      (i) =>
        Buffer.concat([get(idOf(i), NAME, '/large.bin'), frame(FRAME.windowUpdate, 0, idOf(i), OVERFLOW)]),
    ],
    ['more requests at once than the connection may have', (i) => get(idOf(i), NAME, '/large.bin')],
  ])('%s', async (_what, next) => {
    const attacker = await attack();
    const sent = flood(attacker, next);
    await expectAlive();
    // Resolves only when the gateway has closed the connection.
    expect(await sent).toBeGreaterThan(0);
    await expectAlive();
    expect(gateway.services.load.state().shed).toBe(0);
  });
});

describe('headers are bounded, however they are packed', () => {
  test('CONTINUATION without end (CVE-2024-28182)', async () => {
    const attacker = await attack();
    attacker.send(frame(FRAME.headers, 0, 1, getFields(NAME)));
    await flood(attacker, () => frame(FRAME.continuation, 0, 1, field('x', 'a'.repeat(100))));
    await attacker.closed;
    await expectAlive();
  });

  test('a small block that expands: thousands of references to one long field', async () => {
    const attacker = await attack();
    // A literal that enters the table (RFC 7541 section 6.2.1), then references to it (section 6.1).
    const literal = Buffer.concat([Buffer.from([0x40]), field('x', 'a'.repeat(4000)).subarray(1)]);
    const block = Buffer.concat([getFields(NAME), literal, copies(integer(62, 7, 0x80), 8000)]);
    attacker.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, block));
    attacker.send(get(3, NAME));
    const answered = await until('a response to the next request', () =>
      Promise.resolve(attacker.frames.find(({ type, stream }) => type === FRAME.headers && stream === 3)),
    );
    expect(answered).toBeDefined();
    expect(attacker.frames).toContainEqual(expect.objectContaining({ type: FRAME.reset, stream: 1 }));
    attacker.socket.destroy();
  });

  test('two Authorization headers: 400', async () => {
    const attacker = await attack();
    attacker.send(
      post(field('authorization', 'Bearer other')),
      frame(FRAME.data, FLAG.endStream, 1, Buffer.from('{}')),
    );
    const body = await until('the response', () =>
      Promise.resolve(attacker.frames.find(({ type }) => type === FRAME.data)),
    );
    expect(body.payload.toString()).toContain('The Authorization header was sent more than once.');
    attacker.socket.destroy();
  });
});

describe('with little patience', () => {
  async function listen(timeouts: Partial<ClientTimeouts>): Promise<number> {
    const { services } = gateway;
    const rateHeaders = unauthenticatedHeaders(services);
    const patient = { headersMs: 60_000, body: { graceMs: 60_000, bytesPerSecond: 1 }, unreadMs: 60_000 };
    const server = createGatewayServer(rateHeaders, { ...patient, checkMs: 20, ...timeouts });
    servers.push(server);
    server.handle(createApp(services), rateHeaders, services.siteRouting?.contextOf);
    return server.listen(0, '127.0.0.1', 'https');
  }

  test.each<[string, Buffer]>([
    ['sends no request', Buffer.alloc(0)],
    ['sends half of its headers', frame(FRAME.headers, 0, 1, Buffer.from([0x82]))],
    ['sends half of a frame', get(1, NAME).subarray(0, 20)],
  ])('a client that %s is disconnected', async (_what, bytes) => {
    const attacker = await attack(await listen({ headersMs: 200 }));
    attacker.send(bytes);
    await expect(attacker.closed).resolves.toBeDefined();
  });

  test('a client that does not send its body: 408, and the connection goes on', async () => {
    const port = await listen({ body: { graceMs: 200, bytesPerSecond: 1000 } });
    const session = await connectHttp2(port, NAME, authority.root);
    const headers = { ':path': '/graphql', ':method': 'POST', 'content-type': 'application/json' };
    const stream = begin(session, { ...headers, authorization: `Bearer ${store.secret}` }, true);
    stream.write('{');
    const answer = await answerOf(stream);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([408, { code: 'request_timeout' }]);
    expect((await ask(session, { ':path': '/' })).status).toBe(200);
    session.destroy();
  });

  test('a client that opens no window for a response loses it, and no other', async () => {
    const session = await connectHttp2(await listen({ unreadMs: 200 }), NAME, authority.root, {
      initialWindowSize: 100,
    });
    const unread = begin(session, { ':path': '/large.bin' });
    unread.pause();
    expect((await answerOf(unread)).rstCode).not.toBe(0);
    expect((await ask(session, { ':path': '/' })).text).toBe('the shop');
    session.destroy();
  });

  test('a client that reads nothing at all is disconnected', async () => {
    const attacker = await attack(await listen({ unreadMs: 200 }));
    attacker.send(frame(FRAME.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), u32(0x7f_ff_ff_ff)])));
    attacker.send(frame(FRAME.windowUpdate, 0, 0, u32(0x7f_00_00_00)));
    attacker.socket.pause();
    attacker.send(...Array.from({ length: 90 }, (_, i) => get(2 * i + 1, NAME, '/large.bin')));
    await until('the requests to be given up', () =>
      Promise.resolve(gateway.logLines.filter((line) => line.includes('"status":499')).length >= 16),
    );
    await expectAlive();
    attacker.socket.destroy();
  });

  test('a client that reads slowly gets all of it', async () => {
    const session = await connectHttp2(await listen({ unreadMs: 5000 }), NAME, authority.root);
    const stream = begin(session, { ':path': '/large.bin' });
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      stream.pause();
      setTimeout(() => stream.resume(), 5);
    });
    await once(stream, 'close');
    expect(bytes).toBe(LARGE.length);
    session.destroy();
  });
});

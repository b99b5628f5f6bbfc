import { connect, type Socket } from 'node:net';
import { createApp } from '../../../src/app/app.js';
import { unauthenticatedHeaders } from '../../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer, type GatewayServer } from '../../../src/http/server/server.js';
import { newShop } from '../../features/publishing/deploys/client.js';
import { siteOf } from '../../features/publishing/deploys/archives.js';
import { useGateway } from '../../support/gateway.js';
import { rawHead } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

/** Responses that the gateway sends before it has read the request. */
const BODY = Buffer.alloc(11 * 1024 * 1024, 'x');
const TIMES = 10;
const MOST_TIMES = 50;
/** More than the gateway reads of a request that it has answered, and than the buffers of a connection hold. */
const ENDLESS_BYTES = 64 * 1024 * 1024;

const servers: GatewayServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.drain(0);
});
const gateway = useGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '1000000' } });
let shop: Awaited<ReturnType<typeof newShop>>;
let deployed: string;
let usedUp: string;
beforeAll(async () => {
  shop = await newShop(gateway);
  deployed = (await shop.deploy(await siteOf('shop'))).id;
  const quota = { requestsPerMinute: 1, requestsPerDay: 1 };
  usedUp = (await gateway.keyOn('enterprise', quota)).secret;
  for (let i = 0; i < 2; i++) await gateway.request('/v1/pets', { key: usedUp });
});

function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Sends a head and the whole body before it reads anything, as simple clients do. Returns the status; 0 without one. */
function statusAfter(head: string, url = gateway.url): Promise<number> {
  return new Promise((resolve) => {
    const socket = connectTo(url).pause();
    let text = '';
    const end = () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0));
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined).on('close', end);
    socket.write(head);
    socket.write(BODY, () => socket.resume());
  });
}

interface Sent {
  line: string;
  key?: () => string;
  type?: string;
  headers?: () => string[];
}
const lengthOf = (bytes: number) => `Content-Length: ${bytes}`;
function headOf({ line, key, type = 'application/json', headers }: Sent, bytes = BODY.length): string {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key()}`];
  const others = headers?.() ?? ['Connection: close'];
  const host = `Host: ${new URL(gateway.url).host}`;
  return rawHead(
    `${line} HTTP/1.1`,
    host,
    ...authorization,
    `Content-Type: ${type}`,
    lengthOf(bytes),
    ...others,
  );
}

const wrong = () => 'wrong';
const owner = () => shop.secret;
const upload = { type: 'application/gzip' };
const EARLY: [number, string, Sent, number?][] = [
  [401, 'a create with a wrong key', { line: 'POST /v1/pets', key: wrong }, MOST_TIMES],
  [401, 'an upload with a wrong key', { line: 'PUT /deploys/dep_x/archive', key: wrong, ...upload }],
  [401, 'GraphQL with a wrong key', { line: 'POST /graphql', key: wrong }],
  [403, 'an upload with a server key', { line: 'PUT /deploys/dep_x/archive', key: () => server, ...upload }],
  [403, 'a sign-in from another page', { line: 'POST /dashboard/session' }],
  [404, 'an upload of no deploy', { line: 'PUT /deploys/dep_x/archive', key: owner, ...upload }],
  [405, 'another method', { line: 'POST /deploys/dep_x/archive', key: owner, ...upload }],
  [413, 'a pet', { line: 'POST /v1/pets', key: () => server }, MOST_TIMES],
  [
    413,
    'a pet on a connection that stays open',
    { line: 'POST /v1/pets', key: () => server, headers: () => [] },
  ],
  [413, 'GraphQL', { line: 'POST /graphql', key: () => server }],
  [429, 'a key that is used up', { line: 'POST /v1/pets', key: () => usedUp }],
  [400, 'what Node rejects', { line: 'POST /v1/pets', headers: () => ['Content-Length: 1'] }, MOST_TIMES],
  [431, 'long headers', { line: 'POST /v1/pets', headers: () => [`X: ${'x'.repeat(20_000)}`] }],
];
let server: string;
beforeAll(async () => {
  server = (await gateway.keyOn('enterprise', { requestsPerMinute: 10_000, requestsPerDay: 100_000 })).secret;
});

test.each(EARLY)(
  '%i reaches a client that sends 11 MiB before it reads: %s',
  async (status, _what, sent, times = TIMES) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) {
      // A process knows for 10 s that a key is used up; after that, it would read the body first.
      if (status === 429) await gateway.request('/v1/pets', { key: usedUp });
      statuses.push(await statusAfter(headOf(sent)));
    }
    expect(statuses).toEqual(Array<number>(times).fill(status));
  },
);

test('409 and 415 of an upload reach it', async () => {
  for (let i = 0; i < TIMES; i++) {
    const line = `PUT /deploys/${deployed}/archive`;
    expect(await statusAfter(headOf({ line, key: owner, ...upload }))).toBe(409);
    expect(await statusAfter(headOf({ line, key: owner, type: 'application/zip' }))).toBe(415);
  }
});

test('503 of a gateway that has too many requests reaches it', async () => {
  const { load } = gateway.services;
  const enter = load.enter.bind(load);
  load.enter = () => undefined;
  try {
    for (let i = 0; i < TIMES; i++) expect(await statusAfter(headOf({ line: 'POST /v1/pets' }))).toBe(503);
  } finally {
    load.enter = enter;
  }
});

/** Sends until the connection ends, but no more than `ENDLESS_BYTES`. Returns how many bytes left for the gateway. */
function sendForever(head: string): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(gateway.url);
    // Goes on after the gateway has said that no more follows.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const piece = Buffer.alloc(64 * 1024, 'x');
    const send = () => {
      while (socket.bytesWritten < ENDLESS_BYTES && socket.write(piece));
      if (socket.bytesWritten >= ENDLESS_BYTES) socket.destroy();
    };
    socket.on('error', () => undefined).on('close', () => resolve(socket.bytesWritten));
    socket.on('drain', send).resume();
    socket.write(head);
    send();
  });
}

test.each<[string, Sent]>([
  ['and closes', { line: 'POST /v1/pets', key: wrong }],
  ['and keeps the connection', { line: 'POST /v1/pets', key: wrong, headers: () => [] }],
  ['after bytes that are no request', { line: 'POST /v1/pets', headers: () => ['Content-Length: 1'] }],
  ['to CONNECT', { line: 'CONNECT x:1' }],
])('a client that sends forever after an early answer %s is cut', async (_how, sent) => {
  expect(await sendForever(headOf(sent, 10 * ENDLESS_BYTES))).toBeLessThan(ENDLESS_BYTES);
});

test.each([['Connection: close'], ['Connection: keep-alive']])(
  'a client that sends slowly after an early answer is cut: %s',
  async (connection) => {
    const rateHeaders = unauthenticatedHeaders(gateway.services);
    const impatient = createGatewayServer(rateHeaders, {
      readOn: { bytes: 1024 * 1024, totalMs: 300, idleMs: 10_000 },
    });
    servers.push(impatient);
    impatient.handle(createApp(gateway.services), rateHeaders);
    const socket = connectTo(`http://127.0.0.1:${await impatient.listen(0, '127.0.0.1')}`);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
    socket.write(headOf({ line: 'POST /v1/pets', key: wrong, headers: () => [connection] }));
    const drip = setInterval(() => socket.write('x'), 20);
    await closed;
    clearInterval(drip);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  },
);

test('the requests behind an early answer that keeps the connection are answered', async () => {
  const get = rawHead(
    'GET /v1/pets HTTP/1.1',
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${server}`,
  );
  const socket = connectTo(gateway.url);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(headOf({ line: 'POST /v1/pets', key: wrong, headers: () => [] }));
  socket.write(BODY);
  socket.write(get);
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 401 [^]*HTTP\/1\.1 200 /);
});

test('a request behind one that closes the connection is not executed', async () => {
  const { secret } = await gateway.keyOn('pro');
  const [lists, pet] = [`Authorization: Bearer ${secret}`, '{"name":"Rex","categoryId":7}'];
  const socket = connectTo(gateway.url);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
  socket.write(rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Connection: close', lists));
  socket.write(
    rawHead(
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      lists,
      'Content-Type: application/json',
      lengthOf(pet.length),
    ) + pet,
  );
  await closed;
  expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  const { headers } = await gateway.request('/v1/pets', { key: secret });
  // Of the minute's 600, two lists.
  const limit = Number(headers.get('x-ratelimit-limit'));
  expect(Number(headers.get('x-ratelimit-remaining'))).toBe(limit - 2);
});

test('a connection keeps nothing of the requests that were answered early', async () => {
  const rateHeaders = unauthenticatedHeaders(gateway.services);
  const kept = createGatewayServer(rateHeaders);
  servers.push(kept);
  const app = createApp(gateway.services);
  const listeners: number[] = [];
  const observed = Object.assign(
    ((req, res) => {
      listeners.push(req.socket.listenerCount('close'));
      app(req, res);
    }) as typeof app,
    { request: app.request, response: app.response },
  );
  kept.handle(observed, rateHeaders);
  const socket = connectTo(`http://127.0.0.1:${await kept.listen(0, '127.0.0.1')}`);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const answers = () => text.match(/HTTP\/1\.1 401 /g)?.length ?? 0;
  for (let i = 1; i <= 5; i++) {
    // The body of the request before arrives with the head of the next one. In two writes it sometimes did, on a busy
    // machine: the listeners of the request before were then still there.
    const rest = i === 1 ? '' : '{}';
    socket.write(rest + headOf({ line: 'POST /v1/pets', key: wrong, headers: () => [] }, 2));
    await until('the early answer', () => Promise.resolve(answers() === i));
  }
  socket.destroy();
  expect(new Set(listeners.slice(1)).size).toBe(1);
});

import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { createPaceKeeper } from '../../../src/http/server/body-pace.js';
import { createHttp2Sessions, type Http2Sessions } from '../../../src/http/server/http2/sessions.js';
import { createAuthority, writeCertificate } from '../../support/authority.js';

const CONNECTIONS = 30;
const CHECK_MS = 200;
const HOUR_MS = 3_600_000;

let pair: { key: Buffer; cert: Buffer };
let server: Server;
let sessions: Http2Sessions;
let clients: ClientHttp2Session[];
let isBusy: boolean;
/** How often the bytes of each connection were looked at. */
let looks: Map<TLSSocket, number>;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-http2-'));
  const files = await writeCertificate(folder, await createAuthority(), 'localhost');
  pair = { key: await readFile(files.key), cert: await readFile(files.cert) };
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'setTimeout'],
  });
  isBusy = false;
  looks = new Map();
  const pace = createPaceKeeper({ graceMs: HOUR_MS, bytesPerSecond: 1 }, HOUR_MS);
  sessions = createHttp2Sessions({
    answer: (_, res) => res.end(),
    refuse: () => undefined,
    pace,
    timeouts: { headersMs: HOUR_MS, idleMs: HOUR_MS, unreadMs: HOUR_MS, checkMs: CHECK_MS },
    wasBusy: () => isBusy,
  });
  server = createServer({ ...pair, ALPNProtocols: ['h2'] }, (socket) => {
    sessions.accept(socket);
    looks.set(socket, 0);
    const bytesRead = () =>
      Reflect.get(Object.getPrototypeOf(socket) as object, 'bytesRead', socket) as number;
    Object.defineProperty(socket, 'bytesRead', {
      get() {
        looks.set(socket, (looks.get(socket) ?? 0) + 1);
        return bytesRead();
      },
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  clients = Array.from({ length: CONNECTIONS }, () =>
    connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false }),
  );
  await Promise.all(clients.map((client) => once(client, 'remoteSettings')));
  await Promise.all(clients.map((client) => new Promise((resolve) => client.ping(resolve))));
  jest.advanceTimersByTime(2 * CHECK_MS);
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  jest.useRealTimers();
  await sessions.drain(0);
  server.close();
});

function looksDuring(checks: number): number[] {
  for (const socket of looks.keys()) looks.set(socket, 0);
  jest.advanceTimersByTime(checks * CHECK_MS);
  return [...looks.values()];
}

test('a connection without traffic is checked once in ten checks', () => {
  expect(looksDuring(10)).toEqual(Array(CONNECTIONS).fill(1));
});

test('each connection is checked each time while the process is busy', () => {
  isBusy = true;
  expect(looksDuring(10)).toEqual(Array(CONNECTIONS).fill(10));
});

test('a connection with a request is checked each time until it is quiet', async () => {
  const [client] = clients;
  const request = client?.request({ ':path': '/' });
  request?.resume().end();
  await once(request ?? server, 'close');
  const counts = looksDuring(10);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(CONNECTIONS);
});

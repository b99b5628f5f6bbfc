import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createApp } from '../../src/app/app.js';
import { unauthenticatedHeaders } from '../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer } from '../../src/http/server/server.js';
import { exchangeRaw, rawHead } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { startVictim, type Victim } from './victim.js';

/** Clients that ask for more than they read. */
const MAX_IN_FLIGHT = 20;
const MAX_PER_KEY = 5;
const SETTINGS = {
  MAX_REQUESTS_IN_FLIGHT: String(MAX_IN_FLIGHT),
  MAX_REQUESTS_IN_FLIGHT_PER_KEY: String(MAX_PER_KEY),
};
/** Over a megabyte, for everybody. */
const LARGE = '/docs/reference/scalar.js';

let victim: Victim;
let sockets: Socket[];
beforeEach(async () => {
  victim = await startVictim(SETTINGS);
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await victim.close();
});

/** Sends and never reads, but for the beginning of the first answer. */
async function sendUnread(request: string, url = victim.gateway.url): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write(request);
  await once(socket, 'data');
  socket.pause();
  return socket;
}

const get = (path: string, ...headers: string[]) => rawHead(`GET ${path} HTTP/1.1`, 'Host: x', ...headers);

async function createLongNamedPets(count: number): Promise<void> {
  const name = '\u{1F415}'.repeat(255);
  for (let i = 0; i < count; i++) {
    const answer = await victim.post(JSON.stringify({ name, categoryId: 1 }));
    expect(answer.status).toBe(201);
  }
}

test('ten unauthenticated clients that read no responses do not block others', async () => {
  for (let i = 0; i < 10; i++) await sendUnread(get(LARGE).repeat(100));
  for (let i = 0; i < 20; i++) await victim.expectAlive();
  expect((await victim.gateway.request('/health/ready')).status).toBe(200);
  expect(victim.gateway.services.load.state().shed).toBe(0);
});

test('a key whose responses are not read is not locked out', async () => {
  await createLongNamedPets(100);
  const list = get('/v1/pets?limit=100', `Authorization: Bearer ${victim.secret}`);
  for (let i = 0; i < 4; i++) await sendUnread(list.repeat(120));
  for (let i = 0; i < 20; i++) await victim.expectAlive();
  await until('no request to be under way', () =>
    Promise.resolve(victim.gateway.services.load.state().inFlight === 0),
  );
});

test('of more requests at once than a connection may have, the first are answered', async () => {
  const asked = 3000;
  const answers = await exchangeRaw(victim.gateway.url, get('/health/live').repeat(asked));
  // The last one may have been cut off.
  const answered = answers.split('HTTP/1.1 ').slice(1, -1);
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.length).toBeLessThan(asked);
  expect(answered.filter((answer) => !/^200 [^]*{"status":"live"}$/.test(answer))).toEqual([]);
  await victim.expectAlive();
});

describe('with short time limits', () => {
  async function impatient(unreadMs: number): Promise<{ url: string; close: () => Promise<void> }> {
    const { services } = victim.gateway;
    const rateHeaders = unauthenticatedHeaders(services);
    const server = createGatewayServer(rateHeaders, {
      headersMs: 10_000,
      body: { graceMs: 10_000, bytesPerSecond: 1 },
      unreadMs,
      checkMs: 1000,
    });
    server.handle(createApp(services), rateHeaders);
    const port = await server.listen(0, '127.0.0.1');
    return { url: `http://127.0.0.1:${port}`, close: () => server.drain(0) };
  }

  test('disconnects a client that reads nothing', async () => {
    const { url, close } = await impatient(100);
    try {
      await sendUnread(get(LARGE).repeat(100), url);
      await until('the connection to be cut', () =>
        Promise.resolve(victim.gateway.logLines.some((line) => line.includes('"status":499'))),
      );
    } finally {
      await close();
    }
  });

  test('a client that reads slowly gets all of it', async () => {
    const { url, close } = await impatient(5000);
    try {
      const socket = await sendUnread(get(LARGE).repeat(7) + get(LARGE, 'Connection: close'), url);
      let pauses = 0;
      let bytes = 0;
      let tail = '';
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        tail = chunk.toString('latin1').slice(-100);
        socket.pause();
        pauses += 1;
        setTimeout(() => socket.resume(), 80);
      });
      socket.resume();
      await once(socket, 'close');
      const whole = await (await fetch(`${victim.gateway.url}${LARGE}`)).text();
      expect(pauses).toBeGreaterThan(100);
      expect(bytes).toBeGreaterThan(8 * (whole.length - 65_536));
      expect(whole.endsWith(tail)).toBe(true);
    } finally {
      await close();
    }
  });
});

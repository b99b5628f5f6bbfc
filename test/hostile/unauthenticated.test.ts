import { connect, type Socket } from 'node:net';
import { dashboardClient } from '../interfaces/dashboard/client.js';
import { rawHead } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { startVictim, type Victim } from './victim.js';

/** Requests without a key that are never whole. */
const MAX_IN_FLIGHT = 64;
/** What they may have of it: a quarter, and one client a sixteenth. */
const OF_ALL = 16;
const OF_ONE = 4;
const ADMIN_API_KEY = 'configured-admin-key-of-this-test';
const SECURE = 'https://admin.example';

let victim: Victim;
let sockets: Socket[];
beforeEach(async () => {
  victim = await startVictim({
    MAX_REQUESTS_IN_FLIGHT: String(MAX_IN_FLIGHT),
    ADMIN_API_KEY,
    PUBLIC_URL: SECURE,
    TRUST_PROXY: 'loopback',
  });
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await victim.close();
});

interface Attempt {
  from: string;
  origin?: string;
  type?: string;
}

/** Begins to sign in, and does not go on; resolves to what came back so far, when it is asked. */
function beginSignIn({ from, origin = SECURE, type = 'application/json' }: Attempt): () => string {
  const socket = connect(Number(new URL(victim.gateway.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined).on('data', (chunk) => (text += chunk.toString()));
  const head = rawHead(
    'POST /dashboard/session HTTP/1.1',
    'Host: admin.example',
    // What is not looked at here makes nobody known.
    `Authorization: Bearer ${victim.secret}`,
    `Origin: ${origin}`,
    `Content-Type: ${type}`,
    `X-Forwarded-For: ${from}`,
    'Content-Length: 60000',
  );
  socket.write(`${head}{`);
  return () => text;
}

const inFlight = () => victim.gateway.services.load.state().inFlight;
const signIn = (from: string) =>
  dashboardClient(victim.gateway, { host: 'admin.example', origin: SECURE }).signIn(ADMIN_API_KEY, {
    'x-forwarded-for': from,
  });
const statusOf = (answer: string) => Number(answer.split(' ')[1]);

test.each([
  ['a page elsewhere', { origin: 'https://evil.example' }, 403],
  ['a form', { type: 'text/plain' }, 415],
])('an attempt to sign in from %s is answered before its body has come', async (_what, how, status) => {
  const answer = beginSignIn({ from: '192.0.2.1', ...how });
  await until('an answer', () => Promise.resolve(answer() !== ''));
  expect(statusOf(answer())).toBe(status);
  expect(inFlight()).toBe(0);
});

test('one client has a few slots, and leaves the others theirs', async () => {
  const answers = Array.from({ length: 100 }, () => beginSignIn({ from: '192.0.2.1' }));
  const answered = () => answers.filter((answer) => answer() !== '');
  await until('the rest to be turned away', () => Promise.resolve(answered().length === 100 - OF_ONE));
  expect(new Set(answered().map((answer) => statusOf(answer())))).toEqual(new Set([503]));
  expect(inFlight()).toBe(OF_ONE);
  for (let i = 0; i < 10; i++) await victim.expectAlive();
  expect((await signIn('192.0.2.2')).status).toBe(201);
  expect((await signIn('192.0.2.1')).status).toBe(503);
});

test.each([
  ['many clients', (i: number) => `192.0.2.${i}`, OF_ALL],
  ['the addresses of one IPv6 network', (i: number) => `2001:db8::${i.toString(16)}`, OF_ONE],
])('%s cannot take the places of keys', async (_who, addressOf, places) => {
  const answers = Array.from({ length: 100 }, (_, i) => beginSignIn({ from: addressOf(i + 1) }));
  const answered = () => answers.filter((answer) => answer() !== '');
  await until('the rest to be turned away', () => Promise.resolve(answered().length === 100 - places));
  expect(inFlight()).toBe(places);
  await Promise.all(Array.from({ length: 30 }, () => victim.expectAlive()));
  expect((await victim.gateway.request('/health/ready')).status).toBe(200);
});

test('a signed-in user does not count as unauthenticated', async () => {
  const session = await dashboardClient(victim.gateway, { host: 'admin.example', origin: SECURE }).enter(
    ADMIN_API_KEY,
  );
  for (let i = 0; i < 2 * OF_ONE; i++) {
    const socket = connect(Number(new URL(victim.gateway.url).port), '127.0.0.1');
    sockets.push(socket);
    const headers = Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(
      `${rawHead('POST /graphql HTTP/1.1', 'Host: admin.example', ...headers, 'Content-Length: 9')}{`,
    );
    await until('its place', () => Promise.resolve(inFlight() === i + 1));
  }
  expect((await session.graphql('{ plans { id } }')).status).toBe(200);
});

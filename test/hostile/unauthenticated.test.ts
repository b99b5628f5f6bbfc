import { connect, type Socket } from 'node:net';
import { dashboardClient } from '../interfaces/dashboard/client.js';
import { rawHead } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { startVictim, type Victim } from './victim.js';

/** Requests without a key that are never whole. */
const MAX_IN_FLIGHT = 64;
/** How many of their bodies may be on the way: an eighth. */
const BODIES = 8;
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

const load = () => victim.gateway.services.load.state();
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
  expect(load()).toMatchObject({ inFlight: 0, receiving: 0 });
});

test.each([
  ['one client', () => '192.0.2.1'],
  ['many clients', (i: number) => `192.0.2.${i}`],
  ['the addresses of one IPv6 network', (i: number) => `2001:db8::${i.toString(16)}`],
])('%s cannot take the places of keys, or of other clients', async (_who, addressOf) => {
  const answers = Array.from({ length: 100 }, (_, i) => beginSignIn({ from: addressOf(i + 1) }));
  const answered = () => answers.filter((answer) => answer() !== '');
  await until('the rest to be turned away', () => Promise.resolve(answered().length === 100 - BODIES));
  // A client has ten attempts a minute.
  for (const answer of answered()) expect([429, 503]).toContain(statusOf(answer()));
  expect(load()).toMatchObject({ inFlight: 0, receiving: BODIES });
  expect((await signIn('198.51.100.1')).status).toBe(201);
  const another = beginSignIn({ from: '198.51.100.1' });
  await until('its place', () => Promise.resolve(answered().length === 101 - BODIES));
  expect(another()).toBe('');
  await Promise.all(Array.from({ length: 30 }, () => victim.expectAlive()));
  expect((await victim.gateway.request('/health/ready')).status).toBe(200);
});

test('a signed-in user does not count as unauthenticated', async () => {
  const session = await dashboardClient(victim.gateway, { host: 'admin.example', origin: SECURE }).enter(
    ADMIN_API_KEY,
  );
  for (let i = 0; i < 2 * BODIES; i++) {
    const socket = connect(Number(new URL(victim.gateway.url).port), '127.0.0.1');
    sockets.push(socket);
    const headers = Object.entries(session.headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(
      `${rawHead('POST /graphql HTTP/1.1', 'Host: admin.example', ...headers, 'Content-Length: 9')}{`,
    );
    await until('its place', () => Promise.resolve(load().receiving === i + 1));
  }
  expect((await session.graphql('{ plans { id } }')).status).toBe(200);
});

import { connect } from 'node:net';
import { createApp } from '../../src/app/app.js';
import { unauthenticatedHeaders } from '../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer, type GatewayServer } from '../../src/http/server/server.js';
import { expectRawError } from '../support/expect-answer.js';
import { rawHead, sendRaw } from '../support/raw-http.js';
import { startVictim, type Victim } from './victim.js';

/** Clients that begin and do not end, against a server with little patience. */
let victim: Victim;
const servers: GatewayServer[] = [];
let url: string;
/** Where the headers, and the first of a body, have two seconds: those who are quick enough are so on a busy machine. */
let patientUrl: string;
beforeAll(async () => {
  victim = await startVictim();
  url = await listen(200);
  patientUrl = await listen(2000);
});
afterAll(async () => {
  for (const server of servers) await server.drain(0);
  await victim.close();
});

async function listen(patienceMs: number): Promise<string> {
  const rateHeaders = unauthenticatedHeaders(victim.gateway.services);
  const server = createGatewayServer(rateHeaders, {
    headersMs: patienceMs,
    body: { graceMs: patienceMs, bytesPerSecond: 1000 },
    unreadMs: 60_000,
    checkMs: 20,
  });
  servers.push(server);
  server.handle(createApp(victim.gateway.services), rateHeaders);
  return `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
}

const create = (...lines: string[]) =>
  victim.head('POST /v1/pets HTTP/1.1', 'Content-Type: application/json', ...lines);

test.each([
  ['sends nothing', () => ''],
  ['sends half a request line', () => 'GET /v1'],
  ['never ends its headers', () => 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: '],
  ['sends half of its body', () => `${create('Content-Length: 29')}{"name":`],
  ['never ends its chunks', () => `${create('Transfer-Encoding: chunked')}8\r\n{"name":\r\n`],
  [
    'never sends the body of a keyless request',
    () => rawHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 5').slice(0, -2),
  ],
])('a client that %s: 408', async (_, request) => {
  const answer = await sendRaw(url, request());
  expectRawError(answer, 408, 'request_timeout');
  expect(answer.headers.get('connection')).toBe('close');
  await victim.expectAlive();
});

/** Sends `begin`, then `piece` so often, every few milliseconds; resolves to what came back. */
function sendInPieces(begin: string, piece: string, times = Infinity, to = url): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(to).port), '127.0.0.1');
    let text = '';
    let sent = 0;
    socket.write(begin);
    const drip = setInterval(() => {
      if (sent++ < times) socket.write(piece);
      else clearInterval(drip);
    }, 20);
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(drip);
      resolve(text);
    });
  });
}

test('a client that sends its headers byte by byte gets no more time than others', async () => {
  expect(await sendInPieces('GET /v1/pets HTTP/1.1\r\nHost: x\r\n', 'a: b\r\n')).toMatch(/^HTTP\/1\.1 408 /);
});

test('a client that sends a byte of its body now and then: 408', async () => {
  expect(await sendInPieces(create('Content-Length: 60000'), ' ')).toMatch(/^HTTP\/1\.1 408 /);
});

test('a client that sends its body slowly but steadily gets the time that it needs', async () => {
  // For longer than the first of a body may take.
  const [piece, times] = [' '.repeat(200), 150];
  const pet = '{"name":"Rex","categoryId":7}';
  const head = create(`Content-Length: ${pet.length + piece.length * times}`);
  expect(await sendInPieces(head + pet, piece, times, patientUrl)).toMatch(/^HTTP\/1\.1 201 /);
});

test('a body that is not read must arrive in time as well', async () => {
  const request = rawHead('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 60000');
  expect(await sendInPieces(request, ' ')).toMatch(/^HTTP\/1\.1 401 [^]*HTTP\/1\.1 408 /);
});

test('two hundred such clients do not block others', async () => {
  const slow = Array.from({ length: 200 }, () => sendRaw(patientUrl, 'GET / HTTP/1.1\r\nHost: x\r\n'));
  const answer = await fetch(`${patientUrl}/v1/pets`, {
    headers: { authorization: `Bearer ${victim.secret}` },
  });
  expect(answer.status).toBe(200);
  expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([408]));
});

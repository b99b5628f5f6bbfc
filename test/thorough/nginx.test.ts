import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { chooseFreePort } from '../support/free-port.js';
import { startNginx, type Nginx } from '../support/nginx.js';
import { rawHead, sendRaw } from '../support/raw-http.js';

const CONFIGURATION = readFileSync(join(__dirname, '../../deploy/nginx.conf'), 'utf8');
const STRANGERS_PER_MINUTE = 50;

interface BehindNginx {
  url: string;
  gateways: [TestGateway, TestGateway];
  nginx: Nginx;
}

/** Two gateways of one database. */
async function startBehindNginx(): Promise<BehindNginx> {
  const env = { TRUST_PROXY: 'loopback', ANONYMOUS_REQUESTS_PER_MINUTE: String(STRANGERS_PER_MINUTE) };
  const first = await startGateway({ env });
  const second = await startGateway({ env, beside: first });
  const port = await chooseFreePort();
  const nginx = await startNginx(configurationFor([first.url, second.url], port), port);
  return { url: `http://127.0.0.1:${port}`, gateways: [first, second], nginx };
}

/** deploy/nginx.conf, with addresses of this machine in place of Docker's names. */
function configurationFor(urls: readonly string[], port: number): string {
  const [service = '', settings = ''] = /server gateway:3000 resolve(.*);/.exec(CONFIGURATION) ?? [];
  const servers = urls.map((url) => `server ${new URL(url).host}${settings};`).join(' ');
  return [
    ['resolver 127.0.0.11 valid=5s;', ''],
    [service, servers],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
  ].reduce((text, [from = '', to = '']) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, CONFIGURATION);
}

let behind: BehindNginx;
let url: string;
let first: TestGateway;
beforeAll(async () => {
  behind = await startBehindNginx();
  ({
    url,
    gateways: [first],
  } = behind);
});
afterAll(async () => {
  await behind.nginx.close();
  // The second only reads the database of the first.
  for (const gateway of behind.gateways.toReversed()) await gateway.close();
});

const authorized = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** The status that a client without a key gets from this address of this machine. */
const askFrom = (localAddress: string, headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const asked = request(`${url}/v1/pets`, { localAddress, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });

test('both interfaces, compressed bodies and conditional requests go through as they are', async () => {
  const { secret } = await first.keyOn('pro');
  const body = gzipSync(JSON.stringify({ name: 'Pixel', categoryId: 2 }));
  const created = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { ...authorized(secret), 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body,
  });
  expect(created.status).toBe(201);

  const page = await fetch(`${url}/v1/pets`, { headers: authorized(secret) });
  expect(page.headers.get('x-ratelimit-limit')).toBe('300');
  const again = await fetch(`${url}/v1/pets`, {
    headers: { ...authorized(secret), 'if-none-match': page.headers.get('etag') ?? '' },
  });
  expect([page.status, again.status]).toEqual([200, 304]);

  const answered = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { ...authorized(secret), 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ pets { name } }' }),
  });
  expect(await answered.json()).toMatchObject({ data: { pets: [{ name: 'Pixel' }] } });
});

test('the client is the address that connects to the proxy, whatever it claims', async () => {
  const claims = Array.from({ length: 2 * STRANGERS_PER_MINUTE + 1 }, (_, i) => `192.0.2.${i + 1}`);
  const statuses: number[] = [];
  for (const claimed of claims) statuses.push(await askFrom('127.0.0.2', { 'x-forwarded-for': claimed }));
  // Each of the two gateways counts unauthenticated clients by itself.
  expect(statuses.at(0)).toBe(401);
  expect(statuses.at(-1)).toBe(429);
  expect(await askFrom('127.0.0.3', { 'x-forwarded-for': '192.0.2.1' })).toBe(401);
});

test('the metrics are not forwarded, with an admin key neither', async () => {
  const { secret } = await first.services.apiKeys.create({ name: 'admin', role: 'admin' });
  const answer = await fetch(`${url}/metrics`, { headers: authorized(secret) });
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
});

describe('requests that are too large get an Error object, from nginx and from the gateway', () => {
  const post = async (bytes: number) => {
    const { secret } = await first.keyOn('free');
    const headers = { ...authorized(secret), 'content-type': 'application/json' };
    return fetch(`${url}/v1/pets`, { method: 'POST', headers, body: Buffer.alloc(bytes, ' ') });
  };
  const head = (...headers: string[]) =>
    rawHead('GET /v1/pets HTTP/1.1', 'Host: a', 'Connection: close', ...headers);

  test.each([
    ['the gateway', 64 * 1024 + 1, true],
    ['nginx', 17 * 1024 * 1024, false],
  ])('a body: %s', async (_who, bytes, isGateway) => {
    const answer = await post(bytes);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.has('x-ratelimit-limit')).toBe(isGateway);
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large', status: 413 });
    expect(answer.status).toBe(413);
  });

  test.each([
    ['the gateway, of all lines', head(...'abc'.split('').map((x) => `X-${x}: ${x.repeat(8000)}`)), 431],
    ['nginx, of one line', head(`X-A: ${'a'.repeat(17_000)}`), 431],
    ['nginx, of the request line', rawHead(`GET /${'a'.repeat(17_000)} HTTP/1.1`, 'Host: a'), 431],
    ['nginx, of what is not HTTP', rawHead('GET /v1/pets HTTP/1.1', 'Host: a', 'Host: b'), 400],
  ])('headers: %s', async (_who, bytes, status) => {
    const answer = await sendRaw(url, bytes);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, expect.objectContaining({ status })]);
  });
});

test('gateways that restart one after the other lose no response', async () => {
  const database = freshDatabase();
  const [firstPort, secondPort, port] = [
    await chooseFreePort(),
    await chooseFreePort(),
    await chooseFreePort(),
  ];
  const key = 'an-admin-key-for-the-test-of-restarts';
  const start = (ownPort: number) =>
    startGatewayProcess({ MONGODB_URI: database.uri, PORT: String(ownPort), ADMIN_API_KEY: key });
  let processes = [await start(firstPort), await start(secondPort)];
  const urls = [firstPort, secondPort].map((ownPort) => `http://127.0.0.1:${ownPort}`);
  const nginx = await startNginx(configurationFor(urls, port), port);
  const failures: string[] = [];
  let isOver = false;
  const ask = async (): Promise<void> => {
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: authorized(key) });
      const body = await answer.text();
      if (answer.status !== 200) failures.push(`${answer.status} ${body}`);
    }
  };
  const asking = ask();
  try {
    for (const [index, ownPort] of [firstPort, secondPort].entries()) {
      await processes[index]?.stop();
      processes = processes.with(index, await start(ownPort));
      // Longer than the fail_timeout of deploy/nginx.conf, and much shorter than nginx's default of 10 s.
      await delay(1500);
    }
    isOver = true;
    await asking;
    expect(failures).toEqual([]);
  } finally {
    isOver = true;
    await nginx.close();
    await Promise.all(processes.map((each) => each.stop()));
    await database.drop();
  }
});

test('a stopping gateway loses no response; without gateways, 503 says when to retry', async () => {
  const own = await startBehindNginx();
  const [staying, leaving] = own.gateways;
  const { secret } = await staying.keyOn('business');
  const ask = () => fetch(`${own.url}/v1/pets`, { headers: authorized(secret) });
  const left = leaving.close();
  const statuses = new Set<number>();
  for (let asked = 0; asked < 200; asked += 1) statuses.add((await ask()).status);
  await left;
  expect([...statuses]).toEqual([200]);

  await staying.close();
  const answer = await ask();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await answer.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
  await own.nginx.close();
});

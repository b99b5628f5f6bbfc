import { askGraphQL } from '../../interfaces/graphql/client.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';

/** A line of the log for each request. */
type Line = Record<string, unknown>;

let gateways: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
  gateways = [];
});

async function start(env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await startGateway({ env });
  gateways.push(gateway);
  return gateway;
}

/** Those of requests, once there are so many. */
async function linesOf(gateway: TestGateway, count: number): Promise<Line[]> {
  const lines = () =>
    gateway.logLines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');
  await until(`${count} lines`, () => Promise.resolve(lines().length >= count));
  return lines();
}

test('each request has a line: the operation, the caller, the cost and the status', async () => {
  const gateway = await start({ LOG_ADDRESSES: 'full' });
  const { secret, apiKey } = await gateway.keyOn('free');
  const listed = await gateway.request('/v1/pets?limit=5', { key: secret });
  await askGraphQL(gateway, secret, '{ a: pets { id } quota { ban { until } } }');
  await gateway.request('/v1/pets?limit=0', { key: secret });
  await gateway.request('/v1/pets');
  const caller = { keyId: apiKey.id, projectId: apiKey.projectId, plan: 'free' };
  const lines = await linesOf(gateway, 4);
  expect(lines).toMatchObject([
    {
      level: 30,
      requestId: listed.headers.get('x-request-id'),
      method: 'GET',
      path: '/v1/pets',
      status: 200,
      interface: 'rest',
      operation: 'listPets',
      ...caller,
      cost: 1,
      client: '127.0.0.1',
    },
    {
      method: 'POST',
      path: '/graphql',
      interface: 'graphql',
      operation: 'several',
      status: 200,
      ...caller,
      cost: 2,
    },
    { path: '/v1/pets', status: 400, code: 'invalid_request', ...caller, cost: 1 },
    { path: '/v1/pets', status: 401, code: 'missing_api_key' },
  ]);
  expect(lines.every(({ durationMs }) => typeof durationMs === 'number' && durationMs > 0)).toBe(true);
  expect(lines[3]).not.toHaveProperty('keyId');
});

test('a key in a path is cut, a query is left out, and an address is shortened', async () => {
  const gateway = await start({ TRUST_PROXY: 'loopback' });
  const { secret } = await gateway.keyOn('free');
  const from = (address: string) => ({ key: secret, headers: { 'x-forwarded-for': address } });
  await gateway.request(`/v1/pets/${secret}?key=${secret}`, from('203.0.113.77'));
  await gateway.request(`/v1/${'x'.repeat(2000)}`, from('2001:db8:1:2:3::4'));
  const [first, second] = await linesOf(gateway, 2);
  expect(first).toMatchObject({ path: `/v1/pets/${secret.slice(0, 13)}…`, client: '203.0.113.0/24' });
  expect(second).toMatchObject({ client: '2001:db8:1::/48' });
  expect(String(second?.['path']).length).toBeLessThanOrEqual(201);
  expect(gateway.logLines.join('')).not.toContain(secret.slice(0, 20));
});

test.each([
  ['encoded', (key: string) => `/v1/pets/${key.replace('_', '%5F')}`],
  ['encoded whole', (key: string) => `/v1/${Buffer.from(key).toString('hex').replace(/../g, '%$&')}`],
  ['encoded, beside what is no encoding', (key: string) => `/v1/%E0%A4%A/${key.replaceAll('_', '%5f')}`],
])('a key in a path, %s, is cut as well', async (_how, pathWith) => {
  const ADMIN_API_KEY = 'an-admin_key-of-this-test';
  const gateway = await start({ ADMIN_API_KEY });
  const { secret } = await gateway.keyOn('free');
  for (const key of [secret, ADMIN_API_KEY]) await gateway.request(pathWith(key), { key: secret });
  const lines = await linesOf(gateway, 2);
  const decoded = lines.map(({ path }) => String(path).replace(/%5f/gi, '_'));
  expect(decoded[0]).toContain(`${secret.slice(0, 13)}…`);
  expect(decoded[0]).not.toContain(secret.slice(0, 20));
  expect(decoded[1]).toMatch(/…$/);
  expect(decoded.join()).not.toContain(ADMIN_API_KEY);
  expect(lines.map(({ path }) => path).join()).not.toMatch(/%6[0-9a-f]%/i);
});

/** A line of any kind is written so often in a minute. */
const MOST_ALIKE = 10;

/** Sends requests until 30 of them were rejected because of overload. */
async function overload(gateway: TestGateway): Promise<void> {
  const { secret } = await gateway.keyOn('enterprise', AMPLE);
  for (let rejected = 0; rejected < 30;) {
    const asked = Array.from({ length: 20 }, () => gateway.request('/v1/pets', { key: secret }));
    rejected += (await Promise.all(asked)).filter(({ status }) => status === 503).length;
  }
}

const bodiesOf = ({ logLines }: TestGateway) => logLines.map((line) => JSON.parse(line) as Line);

test.each([
  ['LOG_REQUESTS=0', { LOG_REQUESTS: '0' }],
  ['LOG_LEVEL=warn', { LOG_LEVEL: 'warn' }],
])('%s logs the first failures of a kind, and LOG_ADDRESSES=none no addresses', async (_what, env) => {
  const gateway = await start({ ...env, LOG_ADDRESSES: 'none', MAX_REQUESTS_IN_FLIGHT: '1' });
  await overload(gateway);
  // One that takes a second may have a line as well.
  const refused = bodiesOf(gateway).filter(({ msg, status }) => msg === 'request' && status === 503);
  expect(refused.map(({ level, code }) => [level, code])).toEqual(
    Array.from({ length: MOST_ALIKE }, () => [40, 'service_unavailable']),
  );
  expect(refused.some((line) => 'client' in line)).toBe(false);
});

test('an error that many requests have is logged ten times in a minute', async () => {
  const gateway = await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
  await overload(gateway);
  const lines = bodiesOf(gateway);
  expect(lines.filter(({ level }) => level === 50).length).toBeLessThanOrEqual(MOST_ALIKE);
  // The requests themselves all have a line by default.
  expect(lines.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(30);
});

test('probes have a line at the level debug alone', async () => {
  const gateway = await start({ LOG_LEVEL: 'info' });
  await gateway.request('/health/live');
  await gateway.request('/v1/pets');
  expect(await linesOf(gateway, 1)).toMatchObject([{ path: '/v1/pets' }]);
});

test('a client that disconnects before the response has 499', async () => {
  const gateway = await start();
  const { secret } = await gateway.keyOn('free');
  const gone = new AbortController();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
  });
  const asked = fetch(`${gateway.url}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
    signal: gone.signal,
  }).catch(() => undefined);
  await until('the request', () => Promise.resolve(gateway.services.load.state().receiving === 1));
  gone.abort();
  await asked;
  expect(await linesOf(gateway, 1)).toMatchObject([{ status: 499, operation: 'createPet' }]);
});

test('a key in a path is hidden, and what is encoded beside it does not become a line of its own', async () => {
  const gateway = await start();
  const key = `pets_live_${'a'.repeat(38)}`;
  await gateway.request(`/v1/${key}%0Aforged%1B%5B2J`);
  await gateway.request(`/v1/pets_live_%61bcdef%0Aforged%E2%80%A8`);
  expect((await linesOf(gateway, 2)).map(({ path }) => path)).toEqual([
    '/v1/pets_live_aaa…%0Aforged%1B[2J',
    '/v1/pets_live_abc…%0Aforged%E2%80%A8',
  ]);
});

import { dashboardClient } from '../../interfaces/dashboard/client.js';
import { expectError } from '../../support/expect-answer.js';
import { startGateway } from '../../support/gateway.js';
import { rawHead } from '../../support/raw-http.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';
import { holdRequests, pipeline, type HeldRequest } from './held-requests.js';

const MAX_IN_FLIGHT = 40;
const MAX_PER_KEY = 5;
/** Three quarters of all that may be in flight. */
const SHARE_OF_ONE_KEY = 30;

let gateway: Awaited<ReturnType<typeof startGateway>>;
let noisy: string;
let quiet: string;
let held: HeldRequest[];
let holdRequest: ReturnType<typeof holdRequests>;

beforeEach(async () => {
  gateway = await startGateway({
    env: {
      MAX_REQUESTS_IN_FLIGHT: String(MAX_IN_FLIGHT),
      MAX_REQUESTS_IN_FLIGHT_PER_KEY: String(MAX_PER_KEY),
    },
  });
  noisy = (await gateway.keyOn('enterprise', AMPLE)).secret;
  quiet = (await gateway.keyOn('enterprise', AMPLE)).secret;
  held = [];
  holdRequest = holdRequests(gateway);
});
afterEach(async () => {
  await Promise.all(held.map((request) => request.abort()));
  await gateway.close();
});

const list = (key: string, headers: Record<string, string> = {}) =>
  gateway.request('/v1/pets', { key, headers });
const inFlight = (count: number) =>
  until(`${count} requests in flight`, () =>
    Promise.resolve(gateway.services.load.state().inFlight === count),
  );
async function takeAllTurns(secret = noisy): Promise<void> {
  for (let i = 0; i < MAX_PER_KEY; i++) held.push(await holdRequest(secret));
  await inFlight(MAX_PER_KEY);
}
/**
 * Sends so many lists of the noisy key; the answers come one by one into `answered`. They are not compared with the
 * OpenAPI document: what waits for its turn is refused after ten seconds.
 */
function sendNoise(count: number): { answered: Response[]; all: Promise<unknown> } {
  const answered: Response[] = [];
  const all = Promise.all(
    Array.from({ length: count }, async () =>
      answered.push(await fetch(`${gateway.url}/v1/pets`, { headers: { authorization: `Bearer ${noisy}` } })),
    ),
  );
  return { answered, all };
}

describe('a key with all its slots in use', () => {
  test('can be viewed in the dashboard meanwhile', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
    const session = await dashboardClient(gateway).enter(secret);
    await takeAllTurns(secret);
    expect((await session.graphql('{ quota { plan { id } } }')).status).toBe(200);
  });

  test('waits for itself, while another key gets responses at once', async () => {
    await takeAllTurns();
    const noise = sendNoise(20);
    await inFlight(MAX_PER_KEY + 20);
    for (let i = 0; i < 3; i++) expect((await list(quiet)).status).toBe(200);
    expect(noise.answered).toHaveLength(0);

    expect(await held.shift()?.finish()).toBe(201);
    await noise.all;
    expect(noise.answered.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
  });

  test('is rejected above its share of the requests in flight, at no cost; others are not', async () => {
    await takeAllTurns();
    const noise = sendNoise(SHARE_OF_ONE_KEY - MAX_PER_KEY);
    await inFlight(SHARE_OF_ONE_KEY);
    for (let i = 0; i < 2; i++) {
      const answer = await list(noisy);
      await expectError(answer, 503, 'service_unavailable');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect((await list(quiet)).status).toBe(200);
    }
    expect(await Promise.all(held.splice(0).map((request) => request.finish()))).toEqual(
      Array<number>(MAX_PER_KEY).fill(201),
    );
    await noise.all;
    const last = await list(noisy);
    expect(last.status).toBe(200);
    const admitted = SHARE_OF_ONE_KEY + 1;
    expect(last.headers.get('x-ratelimit-remaining')).toBe(String(AMPLE.requestsPerMinute - admitted));
    expect(
      gateway.logLines.filter((line) => line.includes('"reason":"requests of one project"')),
    ).toHaveLength(1);
  });

  test('pays nothing for requests whose client disconnected while they waited, pipelined or not', async () => {
    await takeAllTurns();
    const get = rawHead('GET /v1/pets HTTP/1.1', 'Host: x', `Authorization: Bearer ${noisy}`);
    // As many as there are turns: if they kept their turns, none would be left.
    const connections = await Promise.all(
      Array.from({ length: MAX_PER_KEY }, (_, i) =>
        pipeline(gateway.url, i % 2 === 0 ? [get] : [get, get, get]),
      ),
    );
    // Of one connection the first alone is under way.
    await inFlight(MAX_PER_KEY + MAX_PER_KEY);
    await Promise.all(connections.map((connection) => connection.abort()));
    await inFlight(MAX_PER_KEY);
    expect(await Promise.all(held.splice(0).map((request) => request.finish()))).toEqual(
      Array<number>(MAX_PER_KEY).fill(201),
    );
    const { headers } = await list(noisy);
    expect(headers.get('x-ratelimit-remaining')).toBe(String(AMPLE.requestsPerMinute - MAX_PER_KEY - 1));
  });

  test('gets the error of its quota, not of too many requests', async () => {
    const { secret } = await gateway.keyOn('enterprise', { ...AMPLE, requestsPerMinute: MAX_PER_KEY });
    await Promise.all(Array.from({ length: MAX_PER_KEY }, () => list(secret)));
    expect((await list(secret)).status).toBe(429);
    const answers = await Promise.all(Array.from({ length: SHARE_OF_ONE_KEY }, () => list(secret)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(SHARE_OF_ONE_KEY).fill(429));
    expect(gateway.services.load.state().shed).toBe(0);
  });
});

test('clients of a browser key take turns each by itself', async () => {
  await gateway.close();
  gateway = await startGateway({ env: { MAX_REQUESTS_IN_FLIGHT_PER_KEY: '1', TRUST_PROXY: 'loopback' } });
  const origin = 'https://shop.example';
  const { secret } = await gateway.keyOn('pro', undefined, { role: 'browser', allowedOrigins: [origin] });
  const visitor = ['Host: x', `Authorization: Bearer ${secret}`, `Origin: ${origin}`];
  const slow = await holdRequests(gateway)(
    secret,
    rawHead('GET /graphql?query={pets{id}} HTTP/1.1', ...visitor, 'X-Forwarded-For: 192.0.2.1'),
  );
  const other = await gateway.request('/graphql?query={pets{id}}', {
    key: secret,
    headers: { origin, 'x-forwarded-for': '192.0.2.2' },
  });
  expect(other.status).toBe(200);
  await slow.abort();
});

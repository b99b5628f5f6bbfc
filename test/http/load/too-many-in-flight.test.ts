import { expectError } from '../../support/expect-answer.js';
import { startGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';
import { holdRequests, type HeldRequest } from './held-requests.js';

const MAX_IN_FLIGHT = 6;

let gateway: Awaited<ReturnType<typeof startGateway>>;
/** Two keys, since one alone is not given all there is. */
let secrets: [string, string];
let held: HeldRequest[];
let holdRequest: ReturnType<typeof holdRequests>;

beforeEach(async () => {
  gateway = await startGateway({ env: { MAX_REQUESTS_IN_FLIGHT: String(MAX_IN_FLIGHT) } });
  const first = await gateway.keyOn('enterprise', AMPLE);
  const second = await gateway.keyOn('enterprise', AMPLE);
  secrets = [first.secret, second.secret];
  held = [];
  holdRequest = holdRequests(gateway);
});
afterEach(async () => {
  await Promise.all(held.map((request) => request.abort()));
  await gateway.close();
});

async function fill(): Promise<void> {
  for (let i = 0; i < MAX_IN_FLIGHT; i++) held.push(await holdRequest(secrets[i % 2] ?? ''));
  await inFlight(MAX_IN_FLIGHT);
}
const inFlight = (count: number) =>
  until(`${count} requests in flight`, () =>
    Promise.resolve(gateway.services.load.state().inFlight === count),
  );
const list = () => gateway.request('/v1/pets', { key: secrets[0] });
const logged = (text: string) => gateway.logLines.filter((line) => line.includes(text)).length;

describe('more requests than the limit in flight', () => {
  test('get 503 with Retry-After and rate limit headers, in both interfaces, with and without a key', async () => {
    await fill();
    for (const init of [{ key: secrets[0] }, { key: 'pets_live_unknown' }, {}]) {
      const answer = await gateway.request('/v1/pets', init);
      await expectError(answer, 503, 'service_unavailable');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.headers.get('ratelimit-policy')).toBe('"anonymous";q=120;w=60');
    }
    const graphql = await gateway.request('/graphql?query={plans{id}}', { key: secrets[0] });
    expect(graphql.status).toBe(503);
    expect(graphql.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await graphql.json()).toMatchObject({
      errors: [{ extensions: { code: 'service_unavailable', status: 503 } }],
    });
  });

  test('cost no quota, with or without a key', async () => {
    const remaining = async (init: { key?: string }) => {
      const answer = await gateway.request('/v1/pets', init);
      return Number(answer.headers.get('x-ratelimit-remaining'));
    };
    const before = [await remaining({ key: secrets[0] }), await remaining({})];
    await fill();
    for (let i = 0; i < 20; i++) {
      expect((await list()).status).toBe(503);
      expect((await gateway.request('/v1/pets')).status).toBe(503);
    }
    const [ofKey = 0, ofStranger = 0] = before;
    await Promise.all(held.splice(0).map((request) => request.finish()));
    const heldOfKey = MAX_IN_FLIGHT / 2;
    expect(await remaining({ key: secrets[0] })).toBe(ofKey - heldOfKey - 1);
    expect(await remaining({})).toBe(ofStranger - 1);
  });

  test('do not affect liveness and preflights; readiness reports them until there is room', async () => {
    const readiness = async () => {
      const answer = await gateway.request('/health/ready');
      await answer.arrayBuffer();
      const { checks } = await gateway.services.readiness();
      return { status: answer.status, checks };
    };
    expect(await readiness()).toMatchObject({ status: 200, checks: { load: 'ok' } });
    await fill();
    expect((await list()).status).toBe(503);
    expect((await gateway.request('/health/live')).status).toBe(200);
    expect(await readiness()).toMatchObject({
      status: 503,
      checks: { load: `full: ${MAX_IN_FLIGHT} of ${MAX_IN_FLIGHT} requests in flight` },
    });
    const preflight = await gateway.request('/v1/pets', {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    await Promise.all(held.splice(0).map((request) => request.finish()));
    await until('readiness', async () => (await readiness()).checks['load'] === 'ok');
    expect((await readiness()).status).toBe(200);
  });

  test('end with the requests in flight, and are logged once in total', async () => {
    await fill();
    for (let i = 0; i < 5; i++) expect((await list()).status).toBe(503);
    expect(await Promise.all(held.splice(0).map((request) => request.finish()))).toEqual(
      Array<number>(MAX_IN_FLIGHT).fill(201),
    );
    expect((await list()).status).toBe(200);
    await until('the end of the episode', () => Promise.resolve(logged('No longer overloaded') === 1));
    expect(logged('Overloaded; rejecting some requests with 503')).toBe(1);
    expect(gateway.services.load.state()).toMatchObject({ overloaded: false, overloads: 1, shed: 5 });
  });
});

test('clients that disconnect free their slots', async () => {
  await fill();
  await Promise.all(held.splice(0).map((request) => request.abort()));
  await inFlight(0);
  expect((await list()).status).toBe(200);
});

test('MAX_REQUESTS_IN_FLIGHT=0 is no limit', async () => {
  const unlimited = await startGateway({
    env: { MAX_REQUESTS_IN_FLIGHT: '0', MAX_REQUESTS_IN_FLIGHT_PER_KEY: '0' },
  });
  try {
    const { secret } = await unlimited.keyOn('enterprise', AMPLE);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => unlimited.request('/v1/pets', { key: secret })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    await unlimited.close();
  }
});

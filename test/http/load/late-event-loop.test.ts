import { freshDatabase } from '../../support/database.js';
import { expectError } from '../../support/expect-answer.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway-process.js';
import { until } from '../../support/until.js';

const ADMIN_KEY = 'an-admin-key-for-the-test-of-load';
const MAX_DELAY_MS = 50;
const CLIENTS = 60;

/** A process of its own: in this one the clients would make the event loop late themselves. */
let gateway: GatewayProcess;
const database = freshDatabase();

beforeAll(async () => {
  gateway = await startGatewayProcess({
    MONGODB_URI: database.uri,
    ADMIN_API_KEY: ADMIN_KEY,
    ADMIN_REQUESTS_PER_MINUTE: '10000000',
    MAX_EVENT_LOOP_DELAY_MS: String(MAX_DELAY_MS),
    LOG_LEVEL: 'info',
  });
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
let documents = 0;
/** Nearly as long as a document may be, and none is like another: each is parsed and validated separately. */
function sendCostly(): Promise<Response> {
  documents += 1;
  const fields = Array.from({ length: 600 }, (_, i) => `a${documents}_${i}:__typename`);
  const body = JSON.stringify({ query: `{${fields.join(' ')}}` });
  return fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
}
const list = () => fetch(`${gateway.url}/v1/pets`, { headers });
const logged = (text: string) => gateway.output().split(text).length - 1;

test('costly requests that arrive one after the other all get a response', async () => {
  for (let i = 0; i < 30; i++) expect((await sendCostly()).status).toBe(200);
});

describe('overload', () => {
  test('is rejected with 503 and Retry-After while the process keeps working; everything works after it', async () => {
    const statuses: number[] = [];
    let stampede = true;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (stampede) {
        const answer = await sendCostly();
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
    });
    try {
      const shed = await until('a request to be turned away', async () => {
        const answer = await list();
        return answer.status === 503 ? answer : undefined;
      });
      await expectError(shed, 503, 'service_unavailable');
      expect(shed.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      for (let i = 0; i < 5; i++) expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
      const doneBefore = statuses.filter((status) => status === 200).length;
      await until('work to be done meanwhile', () =>
        Promise.resolve(statuses.filter((status) => status === 200).length > doneBefore + 10),
      );
    } finally {
      stampede = false;
      await Promise.all(clients);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    await until('an ordinary answer', async () => (await list()).status === 200);
    await until('the end of the episode', () =>
      Promise.resolve(logged('No longer overloaded') === logged('Overloaded')),
    );
    expect(gateway.output()).toContain('"reason":"event loop delay"');
    // Once for an episode, not for each of the requests.
    expect(logged('Overloaded')).toBeLessThan(statuses.filter((status) => status === 503).length / 10);
  });
});

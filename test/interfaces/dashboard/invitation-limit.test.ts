import { freezeDate, moveDateBy, releaseDate } from '../../support/fake-date.js';
import { startGateway } from '../../support/gateway.js';
import { dashboardClient, refusalOf } from './client.js';

/** What is done with an invitation is charged to the limit of the sessions of its key. */
const LIMIT = 5;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let client: ReturnType<typeof dashboardClient>;
beforeAll(async () => {
  gateway = await startGateway({ env: { DASHBOARD_REQUESTS_PER_MINUTE: String(LIMIT) } });
  client = dashboardClient(gateway);
});
afterAll(() => gateway.close());
afterEach(releaseDate);

function post(path: string, invitation: string) {
  const headers = { origin: client.origin, 'content-type': 'application/json' };
  return client.send('POST', path, headers, JSON.stringify({ invitation }));
}

test('beyond the limit nobody looks or accepts, and the invitation stays open', async () => {
  freezeDate();
  const { apiKey } = await gateway.keyOn('pro', undefined, { role: 'owner' });
  const change = gateway.services.administration({ role: 'command line' });
  const { invitation } = await change.invite({ name: 'Maria', projectId: apiKey.projectId ?? '' });
  const look = () => post('/dashboard/invitation', invitation.text);
  const accept = () => post('/dashboard/session', invitation.text);
  const looks = [];
  for (let i = 0; i < LIMIT; i++) looks.push((await look()).status);
  expect(looks).toEqual(Array.from({ length: LIMIT }, () => 200));
  // More of them than failed sign-ins are allowed: they are none.
  for (let i = 0; i < 6; i++)
    for (const answer of [await look(), await accept()]) {
      expect(refusalOf(answer)).toEqual([429, 'rate_limit_exceeded']);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  moveDateBy(60_000);
  expect((await accept()).status).toBe(201);
});

test('to accept costs what a sign-in costs', async () => {
  freezeDate();
  const { apiKey } = await gateway.keyOn('pro', undefined, { role: 'owner' });
  const change = gateway.services.administration({ role: 'command line' });
  const { invitation } = await change.invite({ name: 'Maria', projectId: apiKey.projectId ?? '' });
  const answer = await post('/dashboard/session', invitation.text);
  expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([201, String(LIMIT - 1)]);
});

import { MOST_LISTED } from '../../../src/features/keys/sessions/session.js';
import { startGateway } from '../../support/gateway.js';
import { askGraphQL, dataOf } from '../graphql/client.js';
import { dashboardClient, refusalOf, type DashboardSession } from './client.js';

/** GET and DELETE /dashboard/sessions: the sessions of the key that is signed in. Two nodes, as behind a proxy. */
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface ListedSession {
  id: string;
  browser: string | null;
  createdAt: string;
  expiresAt: string;
  isCurrent: boolean;
}

let here: Awaited<ReturnType<typeof startGateway>>;
let there: Awaited<ReturnType<typeof startGateway>>;
let client: ReturnType<typeof dashboardClient>;
let clientThere: ReturnType<typeof dashboardClient>;
beforeAll(async () => {
  here = await startGateway();
  there = await startGateway({ beside: here });
  client = dashboardClient(here, { host: 'localhost' });
  clientThere = dashboardClient(there, { host: 'localhost' });
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const ownerKey = () => here.keyOn('pro', undefined, { name: 'Owner', role: 'owner' });
interface ListedPage {
  sessions: ListedSession[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
async function pageOf({ cookie }: DashboardSession, query = ''): Promise<ListedPage> {
  const answer = await client.send('GET', `/dashboard/sessions${query}`, { cookie });
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  return JSON.parse(answer.text) as ListedPage;
}
const listOf = async (session: DashboardSession) => (await pageOf(session)).sessions;
const end = (session: DashboardSession, id: string) =>
  client.send('DELETE', `/dashboard/sessions/${id}`, session.headers);
const endOthers = (session: DashboardSession) =>
  client.send('DELETE', '/dashboard/sessions', session.headers);
const isOver = async ({ cookie }: DashboardSession) =>
  (await clientThere.send('GET', '/dashboard/session', { cookie })).status === 401;

test('lists the sessions of the key, newest first, with the browser, and of no other key', async () => {
  const [owner, other] = [await ownerKey(), await ownerKey()];
  await client.enter(other.secret);
  const first = await client.signIn(owner.secret, { 'user-agent': FIREFOX });
  expect(first.status).toBe(201);
  const session = await client.enter(owner.secret);
  const listed = await listOf(session);
  expect(listed).toMatchObject([
    { browser: null, isCurrent: true },
    { browser: 'Firefox on Linux', isCurrent: false },
  ]);
  for (const { id, createdAt, expiresAt } of listed) {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(12 * 3_600_000);
  }
});

test('ends one session at every node at once, and leaves the others', async () => {
  const { secret } = await ownerKey();
  const lost = await client.enter(secret);
  const id = (await listOf(lost))[0]?.id ?? '';
  const [kept, session] = [await client.enter(secret), await client.enter(secret)];
  expect((await end(session, id)).status).toBe(204);
  expect(await isOver(lost)).toBe(true);
  expect([await isOver(kept), await isOver(session)]).toEqual([false, false]);
  expect(refusalOf(await end(session, id))).toEqual([404, 'not_found']);
});

test('lists every session once, page by page, and ends one that is on a later page', async () => {
  const { secret } = await ownerKey();
  const oldest = await client.enter(secret);
  const caller = await here.services.sessions.identify(secret);
  for (let i = 2; i < MOST_LISTED + 2; i++) await here.services.sessions.open(caller);
  const session = await client.enter(secret);
  const first = await pageOf(session);
  expect([first.sessions.length, first.pageInfo.hasNextPage]).toEqual([MOST_LISTED, true]);
  const after = `?after=${first.pageInfo.endCursor}`;
  const second = await pageOf(session, after);
  expect([second.sessions.length, second.pageInfo]).toEqual([2, { hasNextPage: false, endCursor: null }]);
  const ids = [...first.sessions, ...second.sessions].map(({ id }) => id);
  expect(new Set(ids).size).toBe(MOST_LISTED + 2);

  // The next page stays the same when the last session of the page before it ends meanwhile.
  expect((await end(session, first.pageInfo.endCursor ?? '')).status).toBe(204);
  expect(await pageOf(session, after)).toEqual(second);
  expect((await end(session, ids.at(-1) ?? '')).status).toBe(204);
  expect(await isOver(oldest)).toBe(true);
  expect(await isOver(session)).toBe(false);
});

test('a key has 200 sessions at most, also when many sign in at once: the oldest end', async () => {
  const MOST = 200;
  const { secret } = await ownerKey();
  const oldest = await client.enter(secret);
  const caller = await here.services.sessions.identify(secret);
  const opened = async () => (await here.services.sessions.open(caller)).token;
  for (let i = 1; i < MOST - 5; i++) await opened();
  const session = await client.enter(secret);
  const tokens = await Promise.all(Array.from({ length: 20 }, opened));
  const first = await pageOf(session);
  const second = await pageOf(session, `?after=${first.pageInfo.endCursor}`);
  expect([first.sessions.length, second.sessions.length, second.pageInfo.hasNextPage]).toEqual([
    MOST / 2,
    MOST / 2,
    false,
  ]);
  expect([await isOver(oldest), await isOver(session)]).toEqual([true, false]);
  for (const token of tokens)
    expect((await here.services.sessions.find(token)).caller.key.id).toBe(caller.key.id);
});

test.each(['?after=', '?after=x', `?after=${'a'.repeat(33)}`, `?after=${'0'.repeat(32)}&after=1`])(
  'rejects the cursor %s',
  async (query) => {
    const { cookie } = await client.enter((await ownerKey()).secret);
    const answer = await client.send('GET', `/dashboard/sessions${query}`, { cookie });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
  },
);

test('ends all others, and records exactly as many', async () => {
  const { secret, apiKey } = await ownerKey();
  const others = await Promise.all([1, 2, 3].map(() => client.enter(secret)));
  const session = await client.enter(secret);
  const answer = await endOthers(session);
  expect([answer.status, answer.text]).toEqual([200, '{"ended":3}']);
  expect(await Promise.all(others.map(isOver))).toEqual([true, true, true]);
  expect(await isOver(session)).toBe(false);
  expect((await endOthers(session)).text).toBe('{"ended":0}');
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: { action: string; changes: unknown[] } }[] } }>(
      here,
      secret,
      `{ auditLog(first: 1, apiKeyId: "${apiKey.id}") { edges { node { action changes { property after } } } } }`,
    ),
  );
  expect(auditLog.edges[0]?.node).toMatchObject({
    action: 'session.end',
    changes: expect.arrayContaining([{ property: 'repeats', after: '2' }]) as unknown,
  });
});

test('a session of another key cannot be ended, not even by an admin', async () => {
  const { secret } = await ownerKey();
  const theirs = await client.enter(secret);
  const id = (await listOf(theirs))[0]?.id ?? '';
  const admin = await here.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  for (const key of [(await ownerKey()).secret, admin.secret]) {
    const session = await client.enter(key);
    expect(refusalOf(await end(session, id))).toEqual([404, 'not_found']);
    expect((await endOthers(session)).text).toBe('{"ended":0}');
  }
  expect(await isOver(theirs)).toBe(false);
});

describe('needs what every change of a session needs', () => {
  test.each([
    ['no cookie', { cookie: '' }, [401, 'missing_api_key']],
    ['no CSRF token', { 'x-csrf-token': '' }, [403, 'forbidden']],
    ['another origin', { origin: 'https://elsewhere.example' }, [403, 'forbidden']],
  ])('%s', async (_what, change, refusal) => {
    const { secret } = await ownerKey();
    const other = await client.enter(secret);
    const session = await client.enter(secret);
    const headers = { ...session.headers, ...change };
    const ids = (await listOf(session)).map(({ id }) => `/${id}`);
    for (const path of ['', ...ids])
      expect(refusalOf(await client.send('DELETE', `/dashboard/sessions${path}`, headers))).toEqual(refusal);
    expect([await isOver(other), await isOver(session)]).toEqual([false, false]);
  });

  test('the list: a cookie, and a page of our origin', async () => {
    expect(refusalOf(await client.send('GET', '/dashboard/sessions'))).toEqual([401, 'missing_api_key']);
    const { secret } = await ownerKey();
    const { cookie } = await client.enter(secret);
    const crossSite = { cookie, 'sec-fetch-site': 'cross-site' };
    expect(refusalOf(await client.send('GET', '/dashboard/sessions', crossSite))).toEqual([403, 'forbidden']);
  });
});

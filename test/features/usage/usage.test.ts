import { connect } from 'node:net';
import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, NOON, releaseDate } from '../../support/fake-date.js';
import { dashboardClient } from '../../interfaces/dashboard/client.js';
import { createStore, startPlatform, visit } from '../../interfaces/sites/visitor.js';
import { useStarted } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';
import { refusalsOf, usageOfKey, usageOfProject, writeUsage } from './client.js';

const gateway = useStarted(() => startPlatform({ env: { STRIKE_LOOP_SECONDS: '1' } }));
const other = useStarted(() => startPlatform({ beside: gateway }));
let admin: string;

beforeAll(async () => {
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});

/** What the days and the groups of a usage come to, and nothing of the days without requests. */
async function countsOf(id: string) {
  const { requests, cost, refused, days, groups } = await usageOfKey(gateway, admin, id);
  return { requests, cost, refused, days: days.filter((day) => day.requests > 0), groups };
}
const today = () => new Date().toISOString().slice(0, 10);
const PET = JSON.stringify({ name: 'Rex', categoryId: 1 });
const JSON_BODY = { 'content-type': 'application/json' };

describe('the usage of a key', () => {
  test('has each of its requests once, by interface, operation and status', async () => {
    const one = await gateway.keyOn('enterprise', AMPLE);
    const two = await gateway.keyOn('enterprise', AMPLE);
    const rest = (path: string, init: RequestInit = {}, { secret } = one) =>
      gateway.request(path, { key: secret, ...init });
    await rest('/v1/pets');
    await rest('/v1/pets?limit=1', { method: 'HEAD' });
    await rest('/v1/pets?limit=0');
    await rest('/v1/pets', { method: 'POST', body: PET, headers: JSON_BODY });
    await rest('/v1/pets/1');
    await rest('/v1/pets', {}, two);
    await rest('/v1/dogs');
    await rest('/v1/pets/1', { method: 'PUT' });
    await rest('/deploys/dep_a/archive', { method: 'PUT', body: 'x' });
    await askGraphQL(gateway, one.secret, '{ a: pets { id } b: pets { id } }');
    await askGraphQL(
      gateway,
      one.secret,
      'query Mine { ...x } fragment x on Query { pets { id } __typename }',
    );
    await askGraphQL(gateway, one.secret, '{ pets { id } quota { ban { until } } }');
    await askGraphQL(gateway, one.secret, '{ dogs }');
    await writeUsage(gateway);

    const rows = [
      ['rest', 'listPets', 200, 2, 2],
      ['rest', 'other', 404, 1, 1],
      ['rest', 'other', 405, 1, 1],
      ['rest', 'uploadDeploy', 415, 1, 1],
      ['rest', 'createPet', 201, 1, 1],
      ['rest', 'getPet', 200, 1, 1],
      ['rest', 'listPets', 400, 1, 1],
      ['graphql', 'pets', 200, 2, 3],
      ['graphql', 'several', 200, 1, 2],
      ['graphql', 'other', 200, 1, 1],
    ].map(([apiInterface, operation, status, requests, cost]) => ({
      interface: apiInterface,
      operation,
      status,
      requests,
      cost,
    }));
    const counts = await countsOf(one.apiKey.id);
    expect(counts).toMatchObject({ requests: 12, cost: 14, refused: 0 });
    expect(counts.groups).toHaveLength(rows.length);
    expect(counts.groups).toEqual(expect.arrayContaining(rows));
    expect(counts.days).toEqual([
      {
        date: today(),
        requests: 12,
        cost: 14,
        refused: 0,
        byStatus: [
          { status: 200, requests: 7 },
          { status: 201, requests: 1 },
          { status: 400, requests: 1 },
          { status: 404, requests: 1 },
          { status: 405, requests: 1 },
          { status: 415, requests: 1 },
        ],
      },
    ]);
    expect(await countsOf(two.apiKey.id)).toMatchObject({ requests: 1, cost: 1 });
  });

  test('is the sum of what every gateway counted, of one that has stopped too', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', AMPLE);
    const stopped = await startPlatform({ beside: gateway });
    for (const [node, count] of [
      [gateway, 3],
      [other, 2],
      [stopped, 4],
    ] as const)
      for (let i = 0; i < count; i++) await node.request('/v1/pets', { key: secret });
    await stopped.close();
    await Promise.all([writeUsage(gateway), writeUsage(other)]);
    for (const node of [gateway, other])
      expect(await usageOfKey(node, admin, apiKey.id)).toMatchObject({ requests: 9, cost: 9 });
  });

  test('knows a request whose client went before it was answered', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', AMPLE);
    const { port, hostname } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    // A body that never comes whole.
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    const { load } = gateway.services;
    await until('the request', () => Promise.resolve(load.state().receiving === 1));
    socket.destroy();
    await writeUsage(gateway);
    expect((await countsOf(apiKey.id)).groups).toEqual([
      { interface: 'rest', operation: 'createPet', status: 499, requests: 1, cost: 0 },
    ]);
  });

  test('lists each UTC day of the range, and says until when it is complete', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', AMPLE);
    freezeDate(NOON);
    try {
      await gateway.request('/v1/pets', { key: secret });
      await writeUsage(gateway);
      moveDateTo(MIDNIGHT - 1);
      await gateway.request('/v1/pets', { key: secret });
      await writeUsage(gateway);
      moveDateTo(MIDNIGHT);
      await gateway.request('/v1/pets', { key: secret });
      await writeUsage(gateway);

      const usage = await usageOfKey(gateway, admin, apiKey.id);
      expect(usage).toMatchObject({
        from: '2029-05-18T00:00:00.000Z',
        to: '2029-06-17T00:00:00.000Z',
        asOf: new Date(MIDNIGHT - 30_000).toISOString(),
        requests: 3,
      });
      expect(usage.days).toHaveLength(30);
      expect(usage.days.slice(-3).map(({ date, requests }) => [date, requests])).toEqual([
        ['2029-06-14', 0],
        ['2029-06-15', 2],
        ['2029-06-16', 1],
      ]);
      const yesterday = '(from: "2029-06-15T05:00:00Z", to: "2029-06-16T00:00:00Z")';
      const { days, requests } = await usageOfKey(gateway, admin, apiKey.id, yesterday);
      expect([days.map(({ date }) => date), requests]).toEqual([['2029-06-15'], 2]);
    } finally {
      releaseDate();
    }
  });

  test.each([
    [
      'that ends before it begins',
      '(from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z")',
      /from: must be before `to`/,
    ],
    [
      'without a moment in it',
      '(from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z")',
      /from: must be before `to`/,
    ],
    ['that begins in the future', '(from: "2100-01-01T00:00:00Z")', /from: must be before now/],
    ['of more than 400 days', '(from: "2025-01-01T00:00:00Z", to: "2026-02-05T00:00:01Z")', /not 401/],
    ['before there were any', '(to: "0000-01-01T00:00:00Z")', /to: must be later than 1970/],
  ])('is rejected for a range %s', async (_, range, message) => {
    const { apiKey } = await gateway.keyOn('free');
    const { errors } = await askGraphQL(
      gateway,
      admin,
      `{ apiKey(id: "${apiKey.id}") { usage${range} { cost } } }`,
    );
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['invalid_request']);
    expect(errors?.[0]?.message).toMatch(message);
  });
});

describe('of requests that cost a key nothing', () => {
  test("what a site's visitors are answered from memory counts as requests", async () => {
    const { host, key, secret } = await createStore(gateway);
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ visited: pets(limit: 7) { id } }' });
    for (let i = 0; i < 3; i++)
      expect((await visit(gateway, host, '/graphql', { method: 'POST', headers, body })).status).toBe(200);
    await writeUsage(gateway);
    expect((await countsOf(key.id)).groups).toEqual([
      { interface: 'graphql', operation: 'pets', status: 200, requests: 3, cost: 1 },
    ]);
  });

  test('what the dashboard asks by a session does not, but for pets', async () => {
    const { apiKey, secret } = await gateway.keyOn('free', undefined, { role: 'owner' });
    const session = await dashboardClient(gateway).enter(secret);
    expect((await session.graphql('{ quota { windows { used } } }')).status).toBe(200);
    expect((await session.graphql('{ pets { id } }')).status).toBe(200);
    await writeUsage(gateway);
    expect((await countsOf(apiKey.id)).groups).toEqual([
      { interface: 'graphql', operation: 'pets', status: 200, requests: 1, cost: 1 },
    ]);
  });
});

describe('why a key was limited', () => {
  test('names the window, its limit, the cost and when it resets, newest first', async () => {
    const quota = { requestsPerMinute: 3, requestsPerDay: 4 };
    const { apiKey, secret } = await gateway.keyOn('enterprise', quota);
    freezeDate(NOON);
    try {
      await gateway.request('/v1/pets', { key: secret });
      await askGraphQL(gateway, secret, '{ a: pets { id } b: pets { id } c: pets { id } }');
      moveDateBy(1000);
      await gateway.request('/v1/pets', { key: secret });
      await gateway.request('/v1/pets', { key: secret });
      moveDateBy(1000);
      // Refused from memory.
      expect((await gateway.request('/v1/pets/1', { key: secret })).status).toBe(429);
      await writeUsage(gateway);

      const [fromMemory, fromStore] = await refusalsOf(gateway, admin, apiKey.id);
      expect(fromMemory).toEqual({
        at: new Date(NOON + 2000).toISOString(),
        code: 'rate_limit_exceeded',
        message: 'The limit of 3 requests per minute is used up. Retry in 58 s.',
        interface: 'rest',
        operation: 'getPet',
        window: 'minute',
        limit: 3,
        cost: 1,
        resetAt: new Date(NOON + 60_000).toISOString(),
      });
      expect(fromStore).toMatchObject({ interface: 'graphql', operation: 'pets', window: 'minute', cost: 3 });
      expect(await usageOfKey(gateway, admin, apiKey.id)).toMatchObject({ requests: 5, cost: 3, refused: 2 });
    } finally {
      releaseDate();
    }
  });

  test('keeps one refusal of a kind a second, and counts all of them', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 9 });
    freezeDate(NOON);
    try {
      for (let i = 0; i < 21; i++) await gateway.request('/v1/pets', { key: secret });
      await writeUsage(gateway);
      expect(await refusalsOf(gateway, admin, apiKey.id)).toHaveLength(1);
      expect(await usageOfKey(gateway, admin, apiKey.id)).toMatchObject({
        requests: 21,
        cost: 1,
        refused: 20,
      });
    } finally {
      releaseDate();
    }
  });

  test('reports a ban, which counts once', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 9 });
    freezeDate(NOON);
    try {
      const ask = async () =>
        ((await (await gateway.request('/v1/pets', { key: secret })).json()) as { code?: string }).code;
      for (let i = 0; i < 13; i++) {
        await ask();
        moveDateBy(1000);
      }
      moveDateBy(1000);
      await until('the ban', async () => (await ask()) === 'key_banned');
      await writeUsage(gateway);
      const { ban } = await gateway.services.apiKeys.get(apiKey.id);
      const [latest] = await refusalsOf(gateway, admin, apiKey.id);
      expect(latest).toMatchObject({ code: 'key_banned', window: null, resetAt: ban?.until.toISOString() });
      expect(await usageOfKey(gateway, admin, apiKey.id)).toMatchObject({ bans: 1 });
    } finally {
      releaseDate();
    }
  });
});

describe('the usage of a project', () => {
  test('is that of all its keys; another plan is judged key by key', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', AMPLE);
    const projectId = apiKey.projectId ?? '';
    const second = await gateway.services.apiKeys.create({ name: 'second', projectId });
    await gateway.request('/v1/pets', { key: secret });
    await gateway.request('/v1/pets', { key: second.secret });
    await writeUsage(gateway);
    expect(await usageOfProject(gateway, admin, projectId)).toMatchObject({
      requests: 2,
      groups: [{ operation: 'listPets', requests: 2 }],
    });

    const none = await underPlans(projectId);
    expect(none).toEqual({ free: { over: 0, daysOver: [] }, enterprise: { over: 0, daysOver: [] } });
    // Past the thousand a day of the Free plan, by one of the two.
    for (const { id } of [apiKey, second.apiKey])
      gateway.services.recorder.countRequest(
        { id, projectId },
        {
          interface: 'rest',
          source: 'enterprise',
          operation: 'listPets',
          status: 200,
          cost: id === apiKey.id ? 1200 : 500,
        },
        Date.now(),
      );
    await writeUsage(gateway);
    expect(await underPlans(projectId)).toEqual({
      free: { over: 201, daysOver: [{ date: today(), keys: 1, over: 201 }] },
      enterprise: { over: 0, daysOver: [] },
    });
  });

  test('has the latest rejections of all its keys, newest first, with their keys', async () => {
    const { apiKey, secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 9 });
    const projectId = apiKey.projectId ?? '';
    const second = await gateway.services.apiKeys.create({ name: 'second', projectId });
    const ask = async (by: string) => (await gateway.request('/v1/pets', { key: by })).status;
    freezeDate(NOON);
    try {
      for (const by of [secret, second.secret]) expect(await ask(by)).toBe(200);
      for (const by of [secret, second.secret, secret]) {
        moveDateBy(500);
        expect(await ask(by)).toBe(429);
      }
      await writeUsage(gateway);
      const query = (size: number) =>
        `query ($id: ID!) { project(id: $id) { refusals(first: ${size}) { at operation window apiKey { id name } } } }`;
      const { project } = await dataOf(
        askGraphQL<{ project: { refusals: unknown[] } }>(gateway, admin, query(2), { id: projectId }),
      );
      const refusal = (afterMs: number, { id, name }: { id: string; name: string }) => ({
        at: new Date(NOON + afterMs).toISOString(),
        operation: 'listPets',
        window: 'minute',
        apiKey: { id, name },
      });
      expect(project.refusals).toEqual([refusal(1500, apiKey), refusal(1000, second.apiKey)]);
      expect(await codesOf(askGraphQL(gateway, admin, query(0), { id: projectId }))).toEqual([
        'invalid_request',
      ]);
    } finally {
      releaseDate();
    }
  });

  async function underPlans(id: string) {
    const { project } = await dataOf(
      askGraphQL<{ project: { usage: unknown } }>(
        gateway,
        admin,
        `query ($id: ID!) { project(id: $id) { usage {
          free: underPlan(plan: free) { over daysOver { date keys over } }
          enterprise: underPlan(plan: enterprise) { over daysOver { date keys over } } } } }`,
        { id },
      ),
    );
    return project.usage;
  }
});

describe('who sees usage', () => {
  const asked = (id: string) => `{ apiKey(id: "${id}") { usage { requests } refusals { at } } }`;

  test('owners that of the keys of their project, and of nobody else', async () => {
    const mine = await gateway.keyOn('free', undefined, { role: 'owner' });
    const { projectId = '', id } = mine.apiKey;
    const server = await gateway.services.apiKeys.create({ name: 'server', projectId });
    const theirs = (await gateway.keyOn('free')).apiKey;
    for (const own of [id, server.apiKey.id])
      expect(await codesOf(askGraphQL(gateway, mine.secret, asked(own)))).toEqual([]);
    expect(await dataOf(askGraphQL(gateway, mine.secret, asked(theirs.id)))).toEqual({ apiKey: null });
    const project = (of = '') => `{ project(id: "${of}") { usage { requests } } }`;
    expect(await codesOf(askGraphQL(gateway, mine.secret, project(projectId)))).toEqual([]);
    expect(await codesOf(askGraphQL(gateway, mine.secret, project(theirs.projectId)))).toEqual(['forbidden']);
    expect(await codesOf(askGraphQL(gateway, server.secret, asked(server.apiKey.id)))).toEqual(['forbidden']);
  });

  test('admins that of a page of keys', async () => {
    // 64 keys of 30 days each are as many nodes as one field may read.
    const query =
      '{ apiKeys(first: 64) { edges { node { usage { requests days { date requests cost refused byStatus { status } } } } } } }';
    const { errors } = await askGraphQL(gateway, admin, query);
    expect(errors?.map(({ message }) => message)).toEqual([
      expect.stringContaining('the limit of a request that costs 1 is 10000'),
    ]);
    expect(await codesOf(askGraphQL(gateway, admin, query.replace(/days .*? } }/, 'cost ')))).toEqual([]);
  });
});

import { getNamedType, type GraphQLObjectType } from 'graphql';
import { factsOf } from '../../../src/interfaces/graphql/field-facts.js';
import { createSchemaAlone } from '../../../src/interfaces/graphql/schema/schema.js';
import { siteOf } from '../../features/publishing/deploys/archives.js';
import { askGraphQL } from '../graphql/client.js';
import { createStore, publish, startPlatform, visit } from '../sites/visitor.js';
import { expectCommonHeaders } from '../../support/expect-answer.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { bodyOf, dashboardClient, detailsOf, messageOf, refusalOf, type DashboardSession } from './client.js';

/** What is asked with the cookie of a session: by whom it is believed, and what it costs. */
const LIMIT = 30;

const gateway = useGateway({
  env: { DASHBOARD_REQUESTS_PER_MINUTE: String(LIMIT), ANONYMOUS_REQUESTS_PER_MINUTE: '1000' },
});
let client: ReturnType<typeof dashboardClient>;
beforeAll(() => {
  client = dashboardClient(gateway);
});

const SMALL = { requestsPerMinute: 3, requestsPerDay: 20 };
const ownerOfSame = (projectId: string) =>
  gateway.services.apiKeys.create({ name: 'Other', role: 'owner', projectId });
const ownerKey = () => gateway.keyOn('enterprise', SMALL, { name: 'Owner', role: 'owner' });
const enter = async (): Promise<DashboardSession> => client.enter((await ownerKey()).secret);
const without = ({ headers }: DashboardSession, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));

const QUOTA = '{ quota { plan { id } windows { name limit used remaining } ban { offences } } }';
const quotaIn = (answer: Parameters<typeof bodyOf>[0]) =>
  bodyOf(answer).data?.['quota'] as { windows: { name: string; used: number }[]; ban: unknown };

/** The types of root fields that answer with pets, or change them. */
const PETS = /^(?:Pet|PetConnection|UpdatePetPayload|DeletePetPayload|DeleteProjectPetsPayload)$/;

describe('GraphQL by POST', () => {
  test('gets the same response as with the key, and costs the key nothing, except for pets', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    for (let i = 0; i < 5; i++) {
      const answer = await session.graphql(
        `{ plans { id } project(id: "${apiKey.projectId ?? ''}") { id } }`,
      );
      expect(bodyOf(answer)).toEqual({
        data: { plans: expect.any(Array) as unknown, project: { id: apiKey.projectId } },
        extensions: { cost: { requested: 2, windows: [] } },
      });
    }
    const first = await gateway.request('/v1/pets', { key: secret });
    expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
  });

  test('what it does to pets is charged to the key, in the same windows, until both are used up', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    const mixed = `{ pets { id } again: petsConnection { pageInfo { hasNextPage } } project(id: "${apiKey.projectId ?? ''}") { id } }`;
    const two = await session.graphql(mixed);
    expect(bodyOf(two).extensions?.cost).toMatchObject({
      requested: 3,
      windows: [
        { name: 'minute', remaining: 1 },
        { name: 'day', remaining: 18 },
      ],
    });
    expect(two.headers['ratelimit-policy']).toBe(
      `"minute";q=3;w=60, "day";q=20;w=86400, "dashboard";q=${LIMIT};w=60`,
    );
    expect([two.headers['x-ratelimit-limit'], two.headers['x-ratelimit-remaining']]).toEqual(['3', '1']);
    const create = 'mutation { createPet(input: { name: "Rex", categoryId: 1, status: sold }) { name } }';
    expect(bodyOf(await session.graphql(create)).data).toEqual({ createPet: { name: 'Rex' } });
    for (const query of ['{ pets { id } }', '{ petsByIds(ids: [1]) { id } }', create]) {
      const over = await session.graphql(query);
      expect(refusalOf(over)).toEqual([429, 'rate_limit_exceeded']);
      expect(detailsOf(over)).toMatchObject({ window: 'minute', limit: 3 });
      expect(over.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    }
    expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(429);
    // Everything else goes on.
    expect((await session.graphql('{ plans { id } }')).status).toBe(200);
    await gateway.services.recorder.flush();
    const { data } = await askGraphQL<{ apiKey: { usage: { requests: number; cost: number } } }>(
      gateway,
      (await ownerOfSame(apiKey.projectId ?? '')).secret,
      `{ apiKey(id: "${apiKey.id}") { usage { requests cost } } }`,
    );
    expect(data?.apiKey.usage).toEqual({ requests: 3, cost: 3 });
  });

  test('a 429 for pets is no strike: reloading the page does not ban the key', async () => {
    let strictMs = Date.now();
    const strict = await startGateway({
      env: { STRIKES_PER_BAN: '1', STRIKE_LOOP_SECONDS: '1' },
      beside: gateway,
      clock: () => strictMs,
    });
    try {
      const { secret, apiKey } = await ownerKey();
      const session = await dashboardClient(strict).enter(secret);
      for (let i = 0; i < 8; i++) {
        await session.graphql('{ pets { id } }');
        strictMs += 1500;
      }
      expect((await gateway.services.apiKeysStore.get(apiKey.id))?.ban).toBeUndefined();
    } finally {
      await strict.close();
    }
  });

  test('every root field that answers with pets is charged so', () => {
    const { Query, Mutation } = createSchemaAlone().getTypeMap();
    const fields = [Query, Mutation].flatMap((type) =>
      Object.values((type as GraphQLObjectType).getFields()),
    );
    const ofPets = fields.filter(({ type }) => PETS.test(getNamedType(type).name));
    const charged = fields.filter((field) => factsOf(field).isAboutPets === true);
    expect(charged.map(({ name }) => name)).toEqual(ofPets.map(({ name }) => name));
  });

  test('`quota` is the key’s own, as it stands', async () => {
    const { secret } = await ownerKey();
    const session = await client.enter(secret);
    await gateway.request('/v1/pets', { key: secret });
    const used = [1, 1].map((units, i) => ({ name: ['minute', 'day'][i], used: units }));
    for (let i = 0; i < 2; i++)
      expect(quotaIn(await session.graphql(QUOTA))).toMatchObject({ windows: used, ban: null });
  });

  test('tells its own limit in both forms, in errors too', async () => {
    const session = await enter();
    const answers = [
      await session.graphql('{ __typename }'),
      await session.graphql('{ nothing }'),
      await session.graphql('{ project(id: "none") { id } }'),
      await session.send('POST', '/graphql', session.headers, '{'),
      await session.send(
        'POST',
        '/graphql',
        { ...session.headers, accept: 'text/plain' },
        '{"query":"{ __typename }"}',
      ),
    ];
    // One for signing in.
    let left = LIMIT - 1;
    for (const answer of answers) {
      const headers = new Headers(Object.entries(answer.headers) as [string, string][]);
      expectCommonHeaders({ headers } as Response);
      expect(headers.get('ratelimit-policy')).toBe(`"dashboard";q=${LIMIT};w=60`);
      expect(headers.get('x-ratelimit-remaining')).toBe(String(--left));
    }
  });

  test.each([
    ['no Origin', (session: DashboardSession) => without(session, 'origin'), 'The Origin header is missing'],
    ['Origin: null', ({ headers }: DashboardSession) => ({ ...headers, origin: 'null' }), 'Only pages of'],
    [
      'the Origin of another port',
      ({ headers }: DashboardSession) => ({ ...headers, origin: 'http://127.0.0.1:9' }),
      'Only pages of',
    ],
    [
      'the Origin of another site',
      ({ headers }: DashboardSession) => ({ ...headers, origin: 'https://evil.example' }),
      'Only pages of',
    ],
    [
      'no CSRF token',
      (session: DashboardSession) => without(session, 'x-csrf-token'),
      'The X-CSRF-Token header is missing',
    ],
    [
      'an empty CSRF token',
      ({ headers }: DashboardSession) => ({ ...headers, 'x-csrf-token': '' }),
      "X-CSRF-Token is not this session's",
    ],
    [
      'an invented CSRF token',
      ({ headers }: DashboardSession) => ({ ...headers, 'x-csrf-token': 'A'.repeat(43) }),
      "X-CSRF-Token is not this session's",
    ],
    [
      'the session’s own token for a CSRF token',
      ({ headers, cookie }: DashboardSession) => ({ ...headers, 'x-csrf-token': cookie.split('=')[1] ?? '' }),
      "X-CSRF-Token is not this session's",
    ],
  ])('with %s: 403 that says so, and nothing is done', async (_what, headersOf, message) => {
    const session = await enter();
    const answer = await session.graphql(
      'mutation { createPet(input: { name: "never", categoryId: 1 }) { id } }',
      headersOf(session),
    );
    expect(refusalOf(answer)).toEqual([403, 'forbidden']);
    expect(messageOf(answer)).toContain(message);
    const { pets } = await gateway.services.pets.list({ limit: 100 });
    expect(pets.filter(({ name }) => name === 'never')).toEqual([]);
  });

  test('with the CSRF token of another session of the same key: 403 that names the header', async () => {
    const { secret } = await ownerKey();
    const [one, other] = [await client.enter(secret), await client.enter(secret)];
    const mixed = { ...one.headers, 'x-csrf-token': other.csrfToken };
    const answer = await one.graphql('{ __typename }', mixed);
    expect(refusalOf(answer)).toEqual([403, 'forbidden']);
    expect(detailsOf(answer)).toEqual({ header: 'X-CSRF-Token' });
    const leaving = await one.leave(mixed);
    expect(refusalOf(leaving)).toEqual([403, 'forbidden']);
    expect(detailsOf(leaving)).toEqual({ header: 'X-CSRF-Token' });
  });
});

describe('what the cookie does not open', () => {
  test.each([
    ['GET', '/graphql?query={__typename}'],
    ['HEAD', '/graphql?query={__typename}'],
    ['PUT', '/graphql'],
    ['GET', '/v1/pets'],
    ['POST', '/v1/pets'],
    ['GET', '/v1/pets/1'],
    ['POST', '/graphql/'],
    ['POST', '/deploys/dep_1/archive'],
    ['GET', '/metrics'],
  ])('%s %s', async (method, path) => {
    const session = await enter();
    const body = ['GET', 'HEAD'].includes(method) ? undefined : '{"name":"never","categoryId":1}';
    const answer = await session.send(method, path, session.headers, body);
    expect(answer.status).toBe(401);
    expect(answer.headers['ratelimit-policy']).toBe('"anonymous";q=1000;w=60');
  });

  test('an Authorization header wins, good or bad', async () => {
    const session = await enter();
    const { secret, apiKey } = await gateway.keyOn('pro');
    for (const authorization of ['Bearer nonsense', 'Basic eDp5', ''])
      expect((await session.graphql(QUOTA, { ...session.headers, authorization })).status).toBe(401);
    const answer = await session.graphql(QUOTA, { ...session.headers, authorization: `Bearer ${secret}` });
    expect(quotaIn(answer)).toMatchObject({
      windows: [
        { name: 'minute', used: 1 },
        { name: 'day', used: 1 },
      ],
    });
    expect(answer.headers['x-ratelimit-limit']).toBe('300');
    expect(apiKey.role).toBe('server');
  });

  test.each([
    ['invented', `pets-session=${'A'.repeat(43)}`, 401],
    ['of no form', 'pets-session=1', 401],
    ['empty', 'pets-session=', 401],
    ['another one', 'session=1', 401],
  ])('a token that is %s', async (_what, cookie, status) => {
    const session = await enter();
    const { csrfToken } = session;
    const answer = await session.who({ cookie });
    expect(answer.status).toBe(status);
    expect((await session.graphql('{ __typename }', { ...session.headers, cookie })).status).not.toBe(200);
    expect(answer.text).not.toContain(csrfToken);
  });

  test('cookies with names like it, or quoted, are others; the same name twice is 400', async () => {
    const session = await enter();
    const [, token = ''] = session.cookie.split('=');
    const who = async (cookie: string) => (await session.who({ cookie })).status;
    for (const sibling of ['xpets-session=1', 'pets-session2=1', 'pets-session', 'PETS-SESSION=1', '=1'])
      expect(await who(`${sibling}; ${session.cookie}; a=b`)).toBe(200);
    for (const name of ['__Host-pets-session', 'pets-session-old', 'Pets-Session', 'xpets-session'])
      expect(await who(`${name}=${token}`)).toBe(401);
    expect(await who(`pets-session="${token}"`)).toBe(401);
    for (const twice of [`${session.cookie}; ${session.cookie}`, `pets-session=x; ${session.cookie}`]) {
      expect(refusalOf(await session.who({ cookie: twice }))).toEqual([400, 'invalid_request']);
      const asked = await session.graphql('{ __typename }', { ...session.headers, cookie: twice });
      expect(refusalOf(asked)).toEqual([400, 'invalid_request']);
    }
  });

  test('behind HTTPS the cookie without its prefix, which a neighbour could set, is none', async () => {
    const secure = await startGateway({ env: { PUBLIC_URL: 'https://admin.example' }, beside: gateway });
    try {
      const page = dashboardClient(secure, { host: 'admin.example', origin: 'https://admin.example' });
      const session = await page.enter((await ownerKey()).secret);
      expect((await session.who()).status).toBe(200);
      const cookie = session.cookie.replace('__Host-', '');
      expect(cookie).toMatch(/^pets-session=/);
      expect(refusalOf(await session.who({ cookie }))).toEqual([401, 'missing_api_key']);
      const asked = await session.graphql('{ __typename }', { ...session.headers, cookie });
      expect(refusalOf(asked)).toEqual([401, 'missing_api_key']);
      // A proxy may name another Host: what counts is the page that asks.
      expect((await session.graphql('{ __typename }')).status).toBe(200);
    } finally {
      await secure.close();
    }
  });
});

describe('limits', () => {
  test('beside the key’s: over it 429, for all sessions of the key, while the key itself goes on', async () => {
    const { secret } = await ownerKey();
    const [one, other] = [await client.enter(secret), await client.enter(secret)];
    const many = `{ ${Array.from({ length: LIMIT - 2 }, (_, i) => `a${i}: plans { id }`).join(' ')} }`;
    expect((await one.graphql(many)).headers['x-ratelimit-remaining']).toBe('0');
    for (const answer of [
      await other.graphql('{ __typename }'),
      await one.who(),
      await client.signIn(secret),
    ]) {
      expect(refusalOf(answer)).toEqual([429, 'rate_limit_exceeded']);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d?$/);
      expect(answer.headers['ratelimit-policy']).toBe(`"dashboard";q=${LIMIT};w=60`);
    }
    expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);
    expect((await (await enter()).who()).status).toBe(200);
    expect((await one.leave()).status).toBe(204);
  });

  test('what a minute could never hold is 400', async () => {
    const query = `{ ${Array.from({ length: LIMIT + 1 }, (_, i) => `a${i}: plans { id }`).join(' ')} }`;
    expect(refusalOf(await (await enter()).graphql(query))).toEqual([400, 'query_too_costly']);
  });

  test('a key that is used up or banned can be looked at', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    const spend = async () => (await gateway.request('/v1/pets', { key: secret })).status;
    for (const status of [200, 200, 200, 429]) expect(await spend()).toBe(status);
    expect(quotaIn(await session.graphql(QUOTA))).toMatchObject({
      windows: [
        { name: 'minute', used: 3 },
        { name: 'day', used: 3 },
      ],
    });
    await gateway.services.apiKeysStore.ban(apiKey.id, Date.now(), gateway.services.config.ban);
    await until('the ban to be known', async () => {
      const { code } = (await (await gateway.request('/v1/pets', { key: secret })).json()) as {
        code: string;
      };
      return code === 'key_banned';
    });
    expect(quotaIn(await session.graphql(QUOTA))).toMatchObject({ ban: { offences: 1 } });
    expect((await client.signIn(secret)).status).toBe(201);
  });

  test('no request by a session is a strike or a use of the day', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    for (let i = 0; i < LIMIT; i++) await session.graphql('{ plans { id } }');
    expect((await session.graphql('{ plans { id } }')).status).toBe(429);
    await gateway.services.recorder.flush();
    const stored = await gateway.services.apiKeysStore.get(apiKey.id);
    expect(stored).toMatchObject({ usageToday: 0, lastUsedAt: expect.any(Date) as Date });
    expect(stored?.ban).toBeUndefined();
  });
});

test('the archive of a deploy may come from the page, on the same terms', async () => {
  const { apiKey, secret } = await ownerKey();
  const session = await client.enter(secret);
  const created = await session.graphql(
    `mutation { createDeploy(input: { projectId: "${apiKey.projectId ?? ''}" }) { deploy { id } } }`,
  );
  const { deploy } = bodyOf(created).data?.['createDeploy'] as { deploy: { id: string } };
  const path = `/deploys/${deploy.id}/archive`;
  const archive = await siteOf('from the page');
  const put = (headers: Record<string, string>) =>
    session.send('PUT', path, { ...headers, 'content-type': 'application/gzip' }, archive);
  expect(refusalOf(await put(without(session, 'x-csrf-token')))).toEqual([403, 'forbidden']);
  expect(refusalOf(await put(without(session, 'origin')))).toEqual([403, 'forbidden']);
  const answer = await put(session.headers);
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
    201,
    { isLive: true, createdByKeyId: apiKey.id },
  ]);
  expect(answer.headers['ratelimit-policy']).toBe(`"dashboard";q=${LIMIT};w=60`);
  expect((await gateway.request('/v1/pets', { key: secret })).headers.get('x-ratelimit-remaining')).toBe('2');
});

test('a published site has no dashboard, and its host looks at no cookie', async () => {
  const platform = await startPlatform();
  try {
    const store = await createStore(platform);
    await publish(platform, store.project.id, { 'index.html': 'Paws' });
    const { secret } = await platform.services.apiKeys.create({
      name: 'Owner',
      role: 'owner',
      projectId: store.project.id,
    });
    const session = await dashboardClient(platform, { host: '127.0.0.1' }).enter(secret);
    const origin = `http://${store.host}`;
    for (const headers of [session.headers, { ...session.headers, origin }]) {
      const send = (method: string, path: string, body?: string) =>
        visit(platform, store.host, path, { method, headers, ...(body !== undefined && { body }) });
      expect(refusalOf(await send('POST', '/graphql', '{"query":"{ __typename }"}'))).toEqual([
        401,
        'missing_api_key',
      ]);
      expect((await send('GET', '/dashboard/session')).status).toBe(404);
      expect((await send('GET', '/dashboard')).status).toBe(404);
      const signIn = await send('POST', '/dashboard/session', JSON.stringify({ apiKey: secret }));
      expect(signIn.status).toBe(405);
      expect(signIn.headers['set-cookie']).toBeUndefined();
    }
    const { data } = await askGraphQL<{ pets: unknown[] }>(platform, secret, '{ pets { id } }');
    expect(data?.pets).toEqual([]);
  } finally {
    await platform.close();
  }
});

import type { GraphQLBody } from '../graphql/client.js';
import { createStore, startPlatform, visit, type Store } from './visitor.js';
import { useStarted } from '../../support/gateway.js';

let now = Date.now();
const gateway = useStarted(() => startPlatform({ clock: () => now }));
beforeAll(async () => {
  const names = ['Rex', 'Luna', 'Milo'];
  await gateway.services.petsStore.insertMany(
    names.map((name) => ({ name, categoryId: 9007199254740993n, status: 'available' as const })),
  );
});

let store: Store;
/** The animals belong to no project: see own-animals.test.ts for a project's own. */
const showAll = ({ project }: Store) => gateway.services.projects.update(project.id, { siteAnimals: 'all' });
/** What one test keeps is nothing to the next. */
beforeEach(async () => {
  now += 60_000;
  store = await createStore(gateway, { requestsPerMinute: 5, requestsPerDay: 100 });
  await showAll(store);
});

interface Asked extends GraphQLBody {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  code: string | undefined;
}

async function ask(
  query: string,
  { secret = store.secret, client = '192.0.2.1', headers, variables, operationName }: Options = {},
  host = store.host,
): Promise<Asked> {
  const answer = await visit(gateway, host, '/graphql', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-forwarded-for': client,
      ...headers,
    },
    body: `{"query":${JSON.stringify(query)},"operationName":${JSON.stringify(operationName ?? null)},"variables":${variables ?? '{}'}}`,
  });
  const body = JSON.parse(answer.text) as GraphQLBody;
  return { ...body, ...answer, code: body.errors?.[0]?.extensions.code };
}
interface Options {
  secret?: string;
  client?: string;
  headers?: Record<string, string>;
  variables?: string;
  operationName?: string;
}

const PETS = '{ pets(limit: 2) { name categoryId } }';
/** What is left of the key's minute. */
async function remaining(): Promise<number | undefined> {
  const { windows } = await gateway.services.keyQuotas.of(store.key);
  return windows.find(({ name }) => name === 'minute')?.remaining;
}

describe('what can be asked for', () => {
  test('pets in every way, exactly', async () => {
    const query = `query ($ids: [Int64!]!) {
      pets(limit: 1) { name categoryId } petsConnection(first: 1) { edges { node { id } } pageInfo { hasNextPage } }
      petsByIds(ids: $ids) { name } pet(id: 1) { name }
    }`;
    const { status, data, errors } = await ask(query, { variables: '{"ids":[2,9007199254740993]}' });
    expect([status, errors]).toEqual([200, undefined]);
    expect(data).toMatchObject({
      pets: [{ name: 'Rex', categoryId: '9007199254740993' }],
      petsByIds: [{ name: 'Luna' }, null],
      pet: { name: 'Rex' },
    });
  });

  test('an answer says which fields will be removed, also the one that is kept for others', async () => {
    const [first, kept] = [await ask('{ pet(id: 1) { name } }'), await ask('{ pet(id: 1) { name } }')];
    expect(kept.headers).toHaveProperty('age');
    for (const { extensions } of [first, kept])
      expect(extensions?.deprecations).toMatchObject([
        { field: 'Query.pet', sunset: '2030-12-05T00:00:00.000Z' },
      ]);
  });

  test('by GET too, which browsers send without an Origin', async () => {
    const { status, text } = await visit(gateway, store.host, `/graphql?query=${encodeURIComponent(PETS)}`, {
      headers: { authorization: `Bearer ${store.secret}` },
    });
    expect([status, text]).toEqual([200, expect.stringContaining('Rex')]);
  });

  test.each([
    'mutation { createPet(input: { name: "X", categoryId: 1 }) { id } }',
    'mutation { createApiKey(input: { name: "X", role: admin }) { secret } }',
    'mutation { changePlan(input: { projectId: "p", plan: business }) { project { id } } }',
    'mutation { __typename }',
    '{ quota { windows { name } } }',
    '{ plans { id } }',
    '{ projects { edges { node { id } } } }',
    '{ apiKeys { edges { node { id } } } }',
    '{ auditLog { edges { node { id } } } }',
    '{ __type(name: "Mutation") { name fields { name } } nothing }',
    'subscription { __typename }',
  ])('%s is not known here', async (query) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, data, code } = await ask(query, { headers: { accept } });
      expect([status, data, code]).toEqual([
        accept === 'application/json' ? 200 : 400,
        undefined,
        'invalid_request',
      ]);
    }
  });

  test('the schema tells of pets and nothing else', async () => {
    const { data } = await ask(
      '{ __schema { mutationType { name } queryType { fields { name } } types { name } } }',
    );
    const schema = (
      data as {
        __schema: {
          mutationType: null;
          queryType: { fields: { name: string }[] };
          types: { name: string }[];
        };
      }
    ).__schema;
    expect(schema.mutationType).toBeNull();
    // Without `pet`, which is deprecated.
    const queries = schema.queryType.fields.map(({ name }) => name);
    expect(queries.toSorted()).toEqual(['pets', 'petsByIds', 'petsConnection']);
    const others = schema.types.map(({ name }) => name).filter((name) => /Key|Quota|Project|New/.test(name));
    expect(others).toEqual(['PetProject']);
  });

  test('an Idempotency-Key is never ignored: no document has one here, and no cached response either', async () => {
    const withKey = { headers: { 'idempotency-key': 'k-1' } };
    for (const left of [4, 2]) {
      expect(await ask(PETS, withKey)).toMatchObject({
        status: 400,
        errors: [{ extensions: { details: { fields: [{ field: 'Idempotency-Key' }] } } }],
      });
      expect(await remaining()).toBe(left);
      // Cached from here on. The client before had no part in it.
      expect((await ask(PETS)).status).toBe(200);
    }
    const both = await Promise.all([
      ask('{ pets(limit: 3) { id } }', withKey),
      ask('{ pets(limit: 3) { id } }'),
    ]);
    expect(both.map(({ status }) => status)).toEqual([400, 200]);
  });

  test('one operation a request: a batch is refused', async () => {
    const { status, text } = await visit(gateway, store.host, '/graphql', {
      method: 'POST',
      headers: { authorization: `Bearer ${store.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ query: PETS }, { query: PETS }]),
    });
    expect([status, text]).toEqual([400, expect.stringContaining('batch')]);
  });

  test.each(['PUT', 'DELETE', 'OPTIONS'])('%s is 405', async (method) => {
    const headers = { authorization: `Bearer ${store.secret}`, origin: `http://${store.host}` };
    const answer = await visit(gateway, store.host, '/graphql', { method, headers });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('who may ask', () => {
  const kinds: [string, () => Promise<string>][] = [
    ['a browser key of another project', async () => (await createStore(gateway)).secret],
    ['a server key of the project', () => keyOfProject('server')],
    ['an owner key of the project', () => keyOfProject('owner')],
    [
      'an admin key',
      async () => (await gateway.services.apiKeys.create({ name: 'a', role: 'admin' })).secret,
    ],
  ];
  const keyOfProject = async (role: 'server' | 'owner') =>
    (await gateway.services.apiKeys.create({ name: role, role, projectId: store.project.id })).secret;

  test.each(kinds)('%s: forbidden', async (_kind, makeKey) => {
    const { status, code, data } = await ask(PETS, { secret: await makeKey() });
    expect([status, code, data]).toEqual([403, 'forbidden', undefined]);
  });

  test('without a key 401, as anywhere', async () => {
    const { status, headers } = await visit(gateway, store.host, '/graphql?query={pets{id}}');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  test.each(['https://evil.example', 'null', 'http://other-shop.pets.localhost', 'http://127.0.0.1:3000'])(
    'a page of %s is refused, and the key pays nothing',
    async (origin) => {
      expect((await ask(PETS, { headers: { origin } })).code).toBe('forbidden');
      expect(await remaining()).toBe(5);
    },
  );

  test.each(['http', 'https'])("the site's own page, over %s", async (scheme) => {
    expect((await ask(PETS, { headers: { origin: `${scheme}://${store.host}` } })).status).toBe(200);
  });

  test('no answer may be read by another origin, or sets a cookie', async () => {
    for (const options of [{}, { headers: { origin: 'https://evil.example' } }, { secret: 'nonsense' }]) {
      const { headers } = await ask(PETS, options);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });
});

describe('shared answers', () => {
  test('the first request uses quota, and equal requests within 10 s do not', async () => {
    const first = await ask(PETS);
    expect(first.extensions?.cost).toMatchObject({
      requested: 1,
      windows: [{ remaining: 4 }, { remaining: 99 }, { name: 'client', limit: 30 }],
    });
    expect(first.headers).not.toHaveProperty('age');
    now += 9_999;
    for (const query of [PETS, '# the same\n{ pets (limit: 2) { name, categoryId } }']) {
      const { status, data, extensions, headers } = await ask(query, { client: '192.0.2.7' });
      expect([status, data]).toEqual([200, first.data]);
      expect(extensions?.cost).toMatchObject({
        requested: 1,
        windows: [{ name: 'client', limit: 30, remaining: Number(headers['x-ratelimit-remaining']) }],
      });
      expect(headers).toMatchObject({
        age: '9',
        'x-ratelimit-limit': '30',
        'cache-control': 'private, no-cache',
      });
    }
    expect(await remaining()).toBe(4);
  });

  test('the operations of one document have responses of their own', async () => {
    const query = 'query A { pets(limit: 1) { name } } query B { pets(limit: 2) { id } }';
    const first = await ask(query, { operationName: 'A' });
    const second = await ask(query, { operationName: 'B' });
    expect(first.data).toEqual({ pets: [{ name: expect.any(String) as string }] });
    expect(second.data).toEqual({
      pets: [{ id: expect.any(String) as string }, { id: expect.any(String) as string }],
    });
    expect(second.headers).not.toHaveProperty('age');
  });

  test('after 10 s the next request reads and pays again', async () => {
    const query = '{ petsConnection(first: 100) { edges { node { name } } } }';
    expect(JSON.stringify(await ask(query))).not.toContain('Newcomer');
    await gateway.services.petsStore.insertMany([{ name: 'Newcomer', categoryId: 1n, status: 'pending' }]);
    now += 10_000;
    const again = await ask(query);
    expect([again.headers['age'], JSON.stringify(again.data)]).toEqual([
      undefined,
      expect.stringContaining('Newcomer'),
    ]);
    expect(await remaining()).toBe(3);
  });

  test('a store whose quota is used up serves only cached responses', async () => {
    for (const limit of [2, 11, 12, 13, 14]) await ask(`{ pets(limit: ${limit}) { id } }`);
    expect(await ask('{ pets(limit: 15) { id } }')).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
    });
    for (let i = 0; i < 20; i++)
      expect((await ask('{ pets(limit: 2) { id } }', { client: `198.51.100.${i}` })).status).toBe(200);
    expect(await remaining()).toBe(0);
  });

  test('concurrent requests for an uncached response cost one read', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask(PETS, { client: `198.51.100.${i}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.filter(({ headers }) => headers['age'] === undefined)).toHaveLength(1);
    expect(await remaining()).toBe(4);
  });

  test('each client has its share of the key: 429 above the share, for this client only', async () => {
    for (let i = 0; i < 30; i++) expect((await ask(PETS)).status).toBe(200);
    const over = await ask(PETS);
    expect(over).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask(PETS, { client: '192.0.2.2' })).status).toBe(200);
    expect(await remaining()).toBe(4);
  });

  test('a rejected client does not affect others that send the same request at that moment', async () => {
    for (let i = 0; i < 30; i++) await ask(PETS);
    const other = '{ pets(limit: 3) { name } }';
    const [refused, ...admitted] = await Promise.all([
      ask(other),
      ask(other, { client: '192.0.2.2' }),
      ask(other, { client: '192.0.2.3' }),
    ]);
    expect([refused.status, ...admitted.map(({ status }) => status)]).toEqual([429, 200, 200]);
  });

  test('errors are not kept', async () => {
    const query = '{ pet(id: 99) { name } }';
    for (const left of [4, 3]) {
      expect((await ask(query)).code).toBe('pet_not_found');
      expect(await remaining()).toBe(left);
    }
  });

  test.each([
    ['no value and null', '{}', '{"status":null}'],
    ['two values', '{"status":"pending"}', '{"status":"available"}'],
    ['a number and a text that looks alike', '{"ids":[9007199254740993]}', '{"ids":["9007199254740993n"]}'],
    ['integers that JSON.parse would make one', '{"ids":[9007199254740993]}', '{"ids":[9007199254740992]}'],
  ])('%s are not the same question', async (_what, one, other) => {
    const query = `query ($status: PetStatus = sold, $ids: [Int64!]! = [])
      { pets(status: $status) { name } petsByIds(ids: $ids) { name } }`;
    await ask(query, { variables: one });
    expect((await ask(query, { variables: other })).headers).not.toHaveProperty('age');
    expect((await ask(query, { variables: one })).headers).toHaveProperty('age');
  });

  test('a variable that the operation does not have makes no other question', async () => {
    await ask(PETS, { variables: '{"x":1}' });
    expect((await ask(PETS, { variables: '{"x":2}' })).headers).toHaveProperty('age');
  });

  test('a key that is revoked gets nothing that is kept', async () => {
    await ask(PETS);
    await gateway.services.administration({ role: 'command line' }).revokeApiKey(store.key.id);
    expect((await ask(PETS)).code).toBe('invalid_api_key');
  });
});

describe("a site's page that tries the operator's surfaces", () => {
  test.each([
    ['GET', '/v1/pets'],
    ['POST', '/v1/pets'],
    ['GET', '/v1/pets/1'],
    ['GET', '/docs'],
    ['GET', '/docs/openapi.json'],
    ['GET', '/dashboard'],
    ['GET', '/metrics'],
    ['POST', '/dashboard/session'],
  ])('%s %s gets nothing, with any key', async (method, path) => {
    const admin = await gateway.services.apiKeys.create({ name: 'a', role: 'admin' });
    for (const secret of [store.secret, admin.secret]) {
      const answer = await visit(gateway, store.host, path, {
        method,
        headers: { authorization: `Bearer ${secret}` },
      });
      expect([404, 405]).toContain(answer.status);
      expect(answer.text).not.toMatch(/Rex|swagger/);
    }
  });
});

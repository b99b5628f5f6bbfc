import { QUOTAS_COLLECTION, type QuotaDocument } from '../../../src/features/limiter/mongo-quota-store.js';
import { freezeDate, releaseDate } from '../../support/fake-date.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { askGraphQL, codesOf, type GraphQLBody } from './client.js';

const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());
beforeEach(() => freezeDate());
afterEach(releaseDate);

const aliases = (count: number, field = 'pets(limit: 1) { id }') =>
  `{ ${Array.from({ length: count }, (_, i) => `f${i}: ${field}`).join(' ')} }`;
const creations = (count: number, name: string) =>
  `mutation ${aliases(count, `createPet(input: { name: "${name}", categoryId: 1 }) { id }`)}`;

function batch(key: string, queries: string[]): Promise<Response> {
  return gateway.request('/graphql', {
    method: 'POST',
    key,
    body: JSON.stringify(queries.map((query) => ({ query }))),
    headers: { 'content-type': 'application/json' },
  });
}

/** What the counters of a key hold, minute and day, past everything the gateway says. */
async function used(keyId: string): Promise<number[]> {
  const found = await raw.collection<QuotaDocument>(QUOTAS_COLLECTION).findOne({ _id: keyId });
  return [found?.m?.u ?? 0, found?.d?.u ?? 0];
}

const petsNamed = (name: string) => raw.collection('pets').countDocuments({ name });

test('20 aliases cost 20, and the answer says so', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  const { http, headers, extensions } = await askGraphQL(gateway, secret, aliases(20));
  expect(http).toBe(200);
  expect(await used(apiKey.id)).toEqual([20, 20]);
  expect(extensions?.cost).toEqual({
    requested: 20,
    windows: [
      { name: 'minute', limit: 60, remaining: 40, resetAt: expect.any(String) as string },
      { name: 'day', limit: 1000, remaining: 980, resetAt: expect.any(String) as string },
    ],
  });
  expect(headers.get('x-ratelimit-remaining')).toBe('40');
});

test('the query quota has the state of the key after its own request', async () => {
  const { secret } = await gateway.keyOn('free');
  const query = '{ pets { id } quota { plan { id } windows { name used remaining } ban { until } } }';
  expect((await askGraphQL(gateway, secret, query)).data).toMatchObject({
    quota: {
      plan: { id: 'free' },
      windows: [
        { name: 'minute', used: 2, remaining: 58 },
        { name: 'day', used: 2, remaining: 998 },
      ],
      ban: null,
    },
  });
});

test('a batch is one charge: 5 operations of 2 fields cost 10, and each reports its own cost', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  const answers = (await (
    await batch(
      secret,
      Array.from({ length: 5 }, () => aliases(2)),
    )
  ).json()) as GraphQLBody[];
  expect(await used(apiKey.id)).toEqual([10, 10]);
  expect(answers.map(({ extensions }) => extensions?.cost.requested)).toEqual([2, 2, 2, 2, 2]);
  expect(answers.map(({ extensions }) => extensions?.cost.windows[0]?.remaining)).toEqual([
    50, 50, 50, 50, 50,
  ]);
});

test('each entry of a batch costs at least 1, invalid ones too', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  expect((await batch(secret, ['{', '{ __typename }', '{ nothing }', aliases(3)])).status).toBe(200);
  expect(await used(apiKey.id)).toEqual([6, 6]);
});

test('a batch of 11 is refused, and costs 1; a batch of 10 is not', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  expect(
    (
      await batch(
        secret,
        Array.from({ length: 10 }, () => '{ __typename }'),
      )
    ).status,
  ).toBe(200);
  expect(
    (
      await batch(
        secret,
        Array.from({ length: 11 }, () => '{ __typename }'),
      )
    ).status,
  ).toBe(400);
  expect(await used(apiKey.id)).toEqual([11, 11]);
});

test('a batch for which not enough is left executes none of its entries', async () => {
  const { secret, apiKey } = await gateway.keyOn('enterprise', { requestsPerMinute: 5, requestsPerDay: 100 });
  await askGraphQL(gateway, secret, aliases(2));
  const refused = await batch(secret, [creations(2, 'batched'), creations(2, 'batched')]);
  expect(refused.status).toBe(429);
  expect(await petsNamed('batched')).toBe(0);
  expect(await used(apiKey.id)).toEqual([2, 2]);
});

test('30 mutations with 27 left: 429, nothing is written and nothing charged', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  expect((await askGraphQL(gateway, secret, aliases(33))).http).toBe(200);
  const refused = await askGraphQL(gateway, secret, creations(30, 'one of 30'));
  expect(refused.http).toBe(429);
  expect(refused.errors?.[0]?.extensions).toMatchObject({
    code: 'rate_limit_exceeded',
    status: 429,
    details: { window: 'minute', limit: 60, cost: 30 },
  });
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(await petsNamed('one of 30')).toBe(0);
  expect(await used(apiKey.id)).toEqual([33, 33]);
  expect((await askGraphQL(gateway, secret, creations(27, 'one of 27'))).http).toBe(200);
  expect(await petsNamed('one of 27')).toBe(27);
});

test('what a window could never hold: 400 query_too_costly, under both media types, which costs 1', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const refused = await askGraphQL(gateway, secret, aliases(61), {}, { accept });
    expect(refused.http).toBe(400);
    expect(refused.errors?.[0]?.extensions).toMatchObject({
      code: 'query_too_costly',
      status: 400,
      details: { window: 'minute', limit: 60, cost: 61 },
    });
  }
  expect(await used(apiKey.id)).toEqual([2, 2]);
  expect((await askGraphQL(gateway, secret, aliases(58))).http).toBe(200);
});

test.each([
  ['a document that does not parse', '{'],
  ['a document that does not validate', aliases(9, 'nothing')],
  ['an operation that is not there', 'query A { __typename } query B { __typename }'],
  ['a query that is refused by its variables', `query ($x: Int!) ${aliases(1)}`],
  ['introspection', '{ __schema { types { name fields { name type { name } } } } }'],
])('%s costs 1', async (_what, query) => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await askGraphQL(gateway, secret, query);
  expect(await used(apiKey.id)).toEqual([1, 1]);
});

test.each<[string, { method: string; body?: string; headers?: Record<string, string> }]>([
  ['no JSON', { method: 'POST', body: '{' }],
  ['another media type', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['another method', { method: 'PUT' }],
])('%s costs 1', async (_what, init) => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await gateway.request('/graphql', {
    key: secret,
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
  expect(await used(apiKey.id)).toEqual([1, 1]);
});

test('200 requests at once over both interfaces on a Free key: the admitted costs make exactly 60', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  const costs = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 1 : (i % 5) + 1));
  const statuses = await Promise.all(
    costs.map(async (cost, i) =>
      i % 2 === 0
        ? (await gateway.request('/v1/pets?limit=1', { key: secret })).status
        : (await askGraphQL(gateway, secret, aliases(cost))).http,
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const admitted = costs.filter((_, i) => statuses[i] === 200).reduce((sum, cost) => sum + cost, 0);
  expect(admitted).toBe(60);
  expect(await used(apiKey.id)).toEqual([60, 60]);
});

describe('pages within pages', () => {
  const nested = (depth: number, first: string): string =>
    `apiKeys${first} { edges { node { id ${depth === 0 ? '' : `project { ${nested(depth - 1, first)} }`} } } }`;

  test.each([
    ['literal sizes', `{ ${nested(2, '(first: 20)')} }`, {}],
    ['sizes by default', `{ ${nested(4, '')} }`, {}],
    ['sizes in variables', `query ($n: Int) { ${nested(1, '(first: $n)')} }`, { n: 100 }],
    [
      'fragments',
      `{ ...A } fragment A on Query { apiKeys { edges { node { ...B } } } } fragment B on ApiKey { project { ${nested(1, '')} } }`,
      {},
    ],
  ])(
    'cost one field but could cost the store anything, by %s: 400 query_too_costly',
    async (_by, query, variables) => {
      const { secret } = await gateway.keyOn('free', undefined, { role: 'owner' });
      const answer = await askGraphQL(gateway, secret, query, variables);
      expect([answer.http, answer.errors?.[0]?.extensions.code]).toEqual([400, 'query_too_costly']);
      expect(answer.errors?.[0]?.extensions.details).toMatchObject({ limit: 2000 });
    },
  );

  test('a whole page of keys, pages of keys of a page of projects, and 60 pages of pets are fine', async () => {
    const { secret: admin } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
    for (const query of [
      '{ apiKeys(first: 100) { edges { node { id project { name } quota { windows { used } } } } } }',
      '{ projects { edges { node { apiKeys(first: 50) { edges { node { id } } } } } } }',
      aliases(60, 'petsConnection(first: 100) { edges { node { id } } }'),
    ])
      expect(await codesOf(askGraphQL(gateway, admin, query))).toEqual([]);
  });
});

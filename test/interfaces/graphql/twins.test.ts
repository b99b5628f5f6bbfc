import fc from 'fast-check';
import { PET_STATUSES } from '../../../src/features/pets/pet.js';
import { anyText } from '../../support/any-text.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { askGraphQL, codesOf, dataOf } from './client.js';

/** What either interface says of a request, in one form: the pets, or the code and the status. */
type Said = { pets: TwinPet[] } | { code: string; status: number };
interface TwinPet {
  id: string;
  name: string;
  categoryId: string;
  status: string;
}

const gateway = useGateway();
let key: string;
let cursors: string[];

beforeAll(async () => {
  ({ secret: key } = await gateway.keyOn('enterprise', AMPLE));
  await gateway.services.petsStore.insertMany(
    Array.from({ length: 45 }, (_, i) => ({
      name: `pet ${i}`,
      categoryId: [0n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n][i % 4] ?? 0n,
      status: PET_STATUSES[i % 3] ?? 'sold',
    })),
  );
  const { pets } = await dataOf(
    askGraphQL<{ pets: { cursor: string }[] }>(gateway, key, '{ pets(limit: 100) { cursor } }'),
  );
  cursors = pets.map(({ cursor }) => cursor);
});

const FIELDS = '{ id name categoryId status }';

/** Integers of the REST answer as text, as GraphQL says them: JSON.parse would round those past 2^53. */
async function restSaid(answer: Response): Promise<Said> {
  const body = JSON.parse((await answer.text()).replace(/"(id|categoryId)":(-?\d+)/g, '"$1":"$2"')) as
    TwinPet | TwinPet[] | { code: string; status: number };
  if ('code' in body) {
    expect(body.status).toBe(answer.status);
    return { code: body.code, status: answer.status };
  }
  return { pets: Array.isArray(body) ? body : [body] };
}

async function graphqlSaid(
  query: string,
  variables: Record<string, unknown> | string,
  field: string,
): Promise<Said> {
  const { data, errors } = await askGraphQL(gateway, key, query, variables);
  const error = errors?.[0]?.extensions;
  if (error !== undefined) return { code: error.code, status: error.status };
  return { pets: [data?.[field]].flat() as TwinPet[] };
}

const restList = async (query: Record<string, string>) =>
  restSaid(await gateway.request(`/v1/pets?${new URLSearchParams(query).toString()}`, { key }));
const graphqlList = (variables: Record<string, unknown> | string) =>
  graphqlSaid(
    `query ($limit: Int, $status: PetStatus, $after: String) { pets(limit: $limit, status: $status, after: $after) ${FIELDS} }`,
    variables,
    'pets',
  );
const graphqlConnection = async (variables: Record<string, unknown>): Promise<Said> => {
  const { data, errors } = await askGraphQL<{ petsConnection: { edges: { node: TwinPet }[] } }>(
    gateway,
    key,
    `query ($limit: Int, $status: PetStatus, $after: String) {
      petsConnection(first: $limit, status: $status, after: $after) { edges { node ${FIELDS} } }
    }`,
    variables,
  );
  const error = errors?.[0]?.extensions;
  if (error !== undefined) return { code: error.code, status: error.status };
  return { pets: (data?.petsConnection.edges ?? []).map(({ node }) => node) };
};

describe('GET /v1/pets, pets and petsConnection agree on', () => {
  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['no parameter', {}, {}],
    ['limit 1', { limit: '1' }, { limit: 1 }],
    ['limit 44', { limit: '44' }, { limit: 44 }],
    ['limit 45', { limit: '45' }, { limit: 45 }],
    ['limit 100', { limit: '100' }, { limit: 100 }],
    ['limit 0', { limit: '0' }, { limit: 0 }],
    ['limit 101', { limit: '101' }, { limit: 101 }],
    ['limit -1', { limit: '-1' }, { limit: -1 }],
    ['limit 1.5', { limit: '1.5' }, { limit: 1.5 }],
    ['limit 2^31', { limit: '2147483648' }, { limit: 2147483648 }],
    ['limit as a word', { limit: 'all' }, { limit: 'all' }],
    ...PET_STATUSES.map((status): [string, Record<string, string>, Record<string, string>] => [
      `status ${status}`,
      { status },
      { status },
    ]),
    ['an unknown status', { status: 'lost' }, { status: 'lost' }],
    ['a status in another case', { status: 'Sold' }, { status: 'Sold' }],
    ['an empty status', { status: '' }, { status: '' }],
    ['an empty cursor', { after: '' }, { after: '' }],
    ['an invented cursor', { after: 'nonsense' }, { after: 'nonsense' }],
    ['a cursor with padding', { after: 'cGV0OjU=' }, { after: 'cGV0OjU=' }],
    ['a cursor that is not canonical', { after: 'cGV0OjA1' }, { after: 'cGV0OjA1' }],
    ['a cursor past every pet', { after: 'cGV0OjkwMDA' }, { after: 'cGV0OjkwMDA' }],
    ['everything wrong', { limit: '0', status: 'x', after: 'y' }, { limit: 0, status: 'x', after: 'y' }],
  ])('%s', async (_what, query, variables) => {
    const said = await restList(query);
    expect(await graphqlList(variables)).toEqual(said);
    expect(await graphqlConnection(variables)).toEqual(said);
  });

  test('any page of any status after any pet', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            limit: fc.integer({ min: -2, max: 103 }),
            status: fc.constantFrom(...PET_STATUSES),
            after: fc.constantFrom(...cursors, 'x'),
          },
          { requiredKeys: [] },
        ),
        async (variables) => {
          const query = Object.fromEntries(Object.entries(variables).map(([k, v]) => [k, String(v)]));
          const said = await restList(query);
          expect(await graphqlList(variables)).toEqual(said);
          expect(await graphqlConnection(variables)).toEqual(said);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('an explicit null, which means the default', async () => {
    const said = await restList({});
    const nulls = { limit: null, status: null, after: null };
    expect(await graphqlList(nulls)).toEqual(said);
    expect(await graphqlConnection(nulls)).toEqual(said);
    expect(
      await graphqlSaid(`{ pets(limit: null, status: null, after: null) ${FIELDS} }`, {}, 'pets'),
    ).toEqual(said);
  });
});

describe('GET /v1/pets/{petId} and pet agree on', () => {
  test.each(['1', '45', '46', '0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'the id %s',
    async (id) => {
      const said = await restSaid(await gateway.request(`/v1/pets/${id}`, { key }));
      expect(await graphqlSaid(`query ($id: Int64!) { pet(id: $id) ${FIELDS} }`, { id }, 'pet')).toEqual(
        said,
      );
      expect(await graphqlSaid(`{ pet(id: ${id}) ${FIELDS} }`, {}, 'pet')).toEqual(said);
      expect(
        await graphqlSaid(`query ($id: Int64!) { pet(id: $id) ${FIELDS} }`, `{"id":${id}}`, 'pet'),
      ).toEqual(said);
    },
  );
});

describe('POST /v1/pets and createPet agree on', () => {
  const CREATE = `mutation ($input: NewPet!) { createPet(input: $input) ${FIELDS} }`;

  /** What was made is not the same pet: the ids differ, and only they. */
  const withoutIds = (said: Said) =>
    'pets' in said ? said.pets.map(({ name, categoryId, status }) => ({ name, categoryId, status })) : said;

  async function both(input: string): Promise<void> {
    const rest = await gateway.request('/v1/pets', {
      method: 'POST',
      key,
      body: input,
      headers: { 'content-type': 'application/json' },
    });
    const graphql = await graphqlSaid(CREATE, `{"input":${input}}`, 'createPet');
    expect({ input, said: withoutIds(graphql) }).toEqual({ input, said: withoutIds(await restSaid(rest)) });
  }

  test.each([
    ['a pet', '{"name":"Rex","categoryId":1,"status":"sold"}'],
    ['no status', '{"name":"Rex","categoryId":1}'],
    ['members in another order', '{"status":"pending","categoryId":1,"name":"Rex"}'],
    ['a name of 255 code points', `{"name":"${'😀'.repeat(255)}","categoryId":1}`],
    ['a name of 256', `{"name":"${'x'.repeat(256)}","categoryId":1}`],
    ['an empty name', '{"name":"","categoryId":1}'],
    ['a blank name', '{"name":" \\t\\u00a0\\u2003","categoryId":1}'],
    ['blanks around a name', '{"name":"  Rex\\n ","categoryId":1}'],
    ['a name that is not normalized', '{"name":"e\\u0301\\u00e9","categoryId":1}'],
    ['a NUL', '{"name":"a\\u0000b","categoryId":1}'],
    ['a lone surrogate', '{"name":"a\\ud800b","categoryId":1}'],
    ['a replacement character that was sent', '{"name":"\\ufffd","categoryId":1}'],
    ['a name like a path into a prototype', '{"name":"__proto__","categoryId":1}'],
    ['no name', '{"categoryId":1}'],
    ['a null name', '{"name":null,"categoryId":1}'],
    ['a number as name', '{"name":5,"categoryId":1}'],
    ['no categoryId', '{"name":"Rex"}'],
    ['a null categoryId', '{"name":"Rex","categoryId":null}'],
    ['true as categoryId', '{"name":"Rex","categoryId":true}'],
    ['a fraction', '{"name":"Rex","categoryId":1.5}'],
    ['1.0', '{"name":"Rex","categoryId":1.0}'],
    ['1e3', '{"name":"Rex","categoryId":1e3}'],
    ['-0', '{"name":"Rex","categoryId":-0}'],
    ['2^53 + 1', '{"name":"Rex","categoryId":9007199254740993}'],
    ['2^63 - 1', '{"name":"Rex","categoryId":9223372036854775807}'],
    ['-2^63', '{"name":"Rex","categoryId":-9223372036854775808}'],
    ['2^63', '{"name":"Rex","categoryId":9223372036854775808}'],
    ['a huge exponent', '{"name":"Rex","categoryId":1e999999999}'],
    ['an unknown status', '{"name":"Rex","categoryId":1,"status":"lost"}'],
    ['a status that is no word', '{"name":"Rex","categoryId":1,"status":1}'],
    ['an unknown field', '{"name":"Rex","categoryId":1,"age":5}'],
    ['an id of the client’s', '{"id":5,"name":"Rex","categoryId":1}'],
    ['a field twice', '{"name":"Rex","name":"Rex","categoryId":1}'],
    ['an array', '[]'],
    ['a text', '"Rex"'],
  ])('%s', async (_what, input) => both(input));

  test('any name, category and status', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          name: fc.oneof(anyText({ maxLength: 300 }), fc.string({ unit: 'grapheme' })),
          categoryId: fc.bigInt({ min: -(2n ** 63n) - 2n, max: 2n ** 63n + 2n }),
          status: fc.constantFrom(...PET_STATUSES, 'lost', ''),
        }),
        async ({ name, categoryId, status }) =>
          both(
            `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":${JSON.stringify(status)}}`,
          ),
      ),
      { numRuns: 60 },
    );
  });

  test('nothing else: only GraphQL takes a null status for the default and a text for an integer', async () => {
    const input = { name: 'Rex', categoryId: '7', status: null };
    expect(await graphqlSaid(CREATE, { input }, 'createPet')).toMatchObject({
      pets: [{ categoryId: '7', status: 'available' }],
    });
  });
});

test.each([
  ['the sunset', Date.parse('2030-12-05T00:00:00Z'), { code: 'operation_removed', status: 410 }],
  ['the moment before', Date.parse('2030-12-05T00:00:00Z') - 1, { code: 'pet_not_found', status: 404 }],
])('from %s on both say the same of a single pet', async (_when, nowMs, said) => {
  const later = await startGateway({ clock: () => nowMs });
  try {
    const { secret } = await later.keyOn('enterprise', AMPLE);
    expect(await restSaid(await later.request('/v1/pets/1', { key: secret }))).toEqual(said);
    const { errors } = await askGraphQL(later, secret, '{ pet(id: 1) { id } }');
    expect(errors?.[0]?.extensions).toMatchObject(said);
    expect(await dataOf(askGraphQL(later, secret, '{ petsByIds(ids: [1]) { id } }'))).toEqual({
      petsByIds: [null],
    });
  } finally {
    await later.close();
  }
});

describe('petsConnection', () => {
  interface Page {
    petsConnection: {
      edges: { cursor: string; node: { id: string; cursor: string } }[];
      pageInfo: {
        hasNextPage: boolean;
        hasPreviousPage: boolean;
        startCursor: string | null;
        endCursor: string | null;
      };
    };
  }
  const PAGE = `query ($first: Int, $after: String, $status: PetStatus) {
    petsConnection(first: $first, after: $after, status: $status) {
      edges { cursor node { id cursor } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  const page = async (variables: Record<string, unknown>) =>
    (await dataOf(askGraphQL<Page>(gateway, key, PAGE, variables))).petsConnection;

  test.each([undefined, ...PET_STATUSES])(
    'gives each pet once, to the end, with status %s',
    async (status) => {
      const { pets } = await gateway.services.pets.list({ limit: 1000, ...(status && { status }) });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 5, max: 60 }), async (first) => {
          const seen: string[] = [];
          let after: string | null = null;
          for (;;) {
            const { edges, pageInfo }: Page['petsConnection'] = await page({ first, after, status });
            seen.push(...edges.map(({ node }) => node.id));
            expect(pageInfo.hasPreviousPage).toBe(after !== null);
            expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
              edges[0]?.cursor,
              edges.at(-1)?.cursor,
            ]);
            expect(edges.every(({ cursor, node }) => cursor === node.cursor)).toBe(true);
            if (!pageInfo.hasNextPage) break;
            after = pageInfo.endCursor;
          }
          expect(seen).toEqual(pets.map(({ id }) => String(id)));
        }),
        { numRuns: 4 },
      );
    },
  );

  test('of nothing has no cursors', async () => {
    expect(await page({ after: 'cGV0OjkwMDA' })).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    });
  });

  test('and GET /v1/pets understand each other’s cursors', async () => {
    const { pageInfo } = await page({ first: 3 });
    expect(await restList({ limit: '3', after: pageInfo.endCursor ?? '' })).toEqual(
      await graphqlConnection({ limit: 3, after: pageInfo.endCursor }),
    );
  });
});

describe('petsByIds', () => {
  const BY_IDS = 'query ($ids: [Int64!]!) { petsByIds(ids: $ids) { id } }';
  const ids = async (asked: unknown[]) =>
    (
      await dataOf(askGraphQL<{ petsByIds: ({ id: string } | null)[] }>(gateway, key, BY_IDS, { ids: asked }))
    ).petsByIds.map((pet) => pet?.id ?? null);

  test('keeps the order, says null for none, and the same pet as often as asked', async () => {
    expect(await ids([3, '1', 9000, 3, -1])).toEqual(['3', '1', null, '3', null]);
  });

  test('takes none, one for a list, and up to 100', async () => {
    expect(await ids([])).toEqual([]);
    expect(await ids(Array.from({ length: 100 }, (_, i) => i + 1))).toHaveLength(100);
    const one = await dataOf(askGraphQL(gateway, key, '{ petsByIds(ids: 2) { id } }'));
    expect(one).toEqual({ petsByIds: [{ id: '2' }] });
  });

  test.each([
    ['101 ids', { ids: Array.from({ length: 101 }, () => 1) }],
    ['a null among them', { ids: [1, null] }],
    ['no list', { ids: null }],
  ])('refuses %s: invalid_request', async (_what, variables) => {
    expect(await codesOf(askGraphQL(gateway, key, BY_IDS, variables))).toEqual(['invalid_request']);
  });
});

import { useGateway } from '../../support/gateway.js';
import { askGraphQL, dataOf } from './client.js';

const gateway = useGateway();

interface Connection {
  totalCount: number | null;
  edges: { cursor: string; node: { id: string; name: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}
interface Shelter {
  id: string;
  secret: string;
}

let [north, south]: Shelter[] = [];
let admin: string;

async function shelter(name: string): Promise<Shelter> {
  const { apiKeys, projects } = gateway.services;
  const { id } = await projects.create({ name, plan: 'business' });
  const { secret } = await apiKeys.create({ name, projectId: id });
  return { id, secret };
}

const NAMES = ['Luna', 'Balu', 'Zoë Lustig', 'STRASSENHUND', 'Straße', 'ΟΔΥΣΣΕΎΣ', 'O’Neill', 'กำ'];

beforeAll(async () => {
  [north, south] = [await shelter('North'), await shelter('South')];
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' }));
  for (const [i, name] of NAMES.entries())
    await gateway.services.pets.create(
      { name, categoryId: BigInt(i % 2), status: i < 3 ? 'available' : 'sold' },
      north.id,
    );
  await gateway.services.pets.create(
    { name: 'Luna of the South', categoryId: 0n, status: 'available' },
    south.id,
  );
  await gateway.services.pets.create(
    { name: 'Luna of the store', categoryId: 0n, status: 'pending' },
    undefined,
  );
});

const FIELDS =
  '{ totalCount edges { cursor node { id name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }';

async function connection(args: string, secret = north?.secret ?? ''): Promise<Connection> {
  const data = await dataOf(
    askGraphQL<{ petsConnection: Connection }>(gateway, secret, `{ petsConnection(${args}) ${FIELDS} }`),
  );
  return data.petsConnection;
}
const namesOf = ({ edges }: Connection) => edges.map(({ node }) => node.name);
async function fieldsOf(args: string): Promise<unknown> {
  const { errors } = await askGraphQL(gateway, north?.secret ?? '', `{ petsConnection(${args}) ${FIELDS} }`);
  return errors?.map(({ extensions }) => [
    extensions.code,
    (extensions.details?.['fields'] as { field: string }[] | undefined)?.map(({ field }) => field),
  ]);
}

describe('whose animals', () => {
  test("mine: the project's, and with an admin key those of no project", async () => {
    expect(namesOf(await connection('filter: { mine: true }'))).toEqual(NAMES);
    expect(namesOf(await connection('filter: { mine: true }', south?.secret))).toEqual(['Luna of the South']);
    expect(namesOf(await connection('filter: { mine: true }', admin))).toEqual(['Luna of the store']);
    expect((await connection('filter: { mine: false }')).totalCount).toBe(10);
  });

  test('equal queries of two projects at one moment each get their own animals', async () => {
    const query =
      'query ($filter: PetFilter) { pets(mine: true) { name } petsConnection(filter: $filter) { totalCount } }';
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        dataOf(
          askGraphQL<{ pets: unknown[]; petsConnection: { totalCount: number } }>(
            gateway,
            (i % 2 === 0 ? north : south)?.secret ?? '',
            query,
            { filter: { mine: true } },
          ),
        ),
      ),
    );
    for (const [i, { pets, petsConnection }] of answers.entries())
      expect([pets.length, petsConnection.totalCount]).toEqual(i % 2 === 0 ? [8, 8] : [1, 1]);
  });

  test('projectId: of any project; together with mine of another project none', async () => {
    expect(namesOf(await connection(`filter: { projectId: "${south?.id}" }`))).toEqual(['Luna of the South']);
    const none = { totalCount: 0, edges: [], pageInfo: { hasNextPage: false, endCursor: null } };
    expect(await connection(`filter: { projectId: "${south?.id}", mine: true }`)).toMatchObject(none);
    expect(await connection('filter: { projectId: "proj_none" }')).toMatchObject(none);
  });
});

describe('nameContains', () => {
  test.each([
    ['LUNA', ['Luna', 'Luna of the South', 'Luna of the store']],
    ['lu', ['Luna', 'Balu', 'Zoë Lustig', 'Luna of the South', 'Luna of the store']],
    ['strasse', ['STRASSENHUND', 'Straße']],
    ['straẞenhund', ['STRASSENHUND']],
    ['zoe\u0308 lustig', ['Zoë Lustig']],
    ['zoe', ['Zoë Lustig']],
    ['ŽOÉ LŮ', ['Zoë Lustig']],
    ['οδυσσευσ', ['ΟΔΥΣΣΕΎΣ']],
    ["o'n", ['O’Neill']],
    ['ก', ['กำ']],
    ['กิ', []],
    ['luna of the s', ['Luna of the South', 'Luna of the store']],
    ['of the south', ['Luna of the South']],
    ['una.of', []],
    ['%', []],
  ])('%s', async (text, names) => {
    expect(namesOf(await connection(`filter: { nameContains: ${JSON.stringify(text)} }`))).toEqual(names);
  });

  test.each(['""', `"${'x'.repeat(65)}"`, '"\\u0000"'])('%s is rejected', async (text) => {
    expect(await fieldsOf(`filter: { nameContains: ${text} }`)).toEqual([
      ['invalid_request', ['filter.nameContains']],
    ]);
  });

  test('64 characters are allowed, whatever their size', async () => {
    expect(namesOf(await connection(`filter: { nameContains: "${'🐕'.repeat(64)}" }`))).toEqual([]);
  });
});

test('conditions work together, also with the plain status', async () => {
  const filter = 'filter: { mine: true, categoryId: 0, nameContains: "LU", status: available }';
  expect(namesOf(await connection(filter))).toEqual(['Luna', 'Zoë Lustig']);
  expect(namesOf(await connection(`status: available, ${filter}`))).toEqual(['Luna', 'Zoë Lustig']);
  expect(namesOf(await connection(`status: sold, ${filter}`))).toEqual([]);
});

describe('newest first', () => {
  test('page by page, forward and backward, without gaps', async () => {
    const all = namesOf(await connection('orderBy: newest, first: 100'));
    expect(all).toEqual([...NAMES, 'Luna of the South', 'Luna of the store'].reverse());
    const seen: string[] = [];
    for (let after = ''; ;) {
      const page = await connection(`orderBy: newest, first: 3 ${after}`);
      seen.push(...namesOf(page));
      expect(page.pageInfo.hasPreviousPage).toBe(after !== '');
      if (!page.pageInfo.hasNextPage) break;
      after = `after: "${page.pageInfo.endCursor}"`;
    }
    expect(seen).toEqual(all);
    const last = await connection('orderBy: newest, last: 3');
    expect(namesOf(last)).toEqual(all.slice(-3));
    const before = await connection(`orderBy: newest, last: 3, before: "${last.pageInfo.startCursor}"`);
    expect(namesOf(before)).toEqual(all.slice(-6, -3));
    expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  test('an animal with a lower id that is added later comes first', async () => {
    const { petsStore } = gateway.services;
    const id = await petsStore.reserveId();
    const { id: earlyId } = await gateway.services.pets.create(
      { name: 'Early', categoryId: 9n, status: 'sold' },
      south?.id,
    );
    await petsStore.insert({
      id,
      name: 'Late',
      categoryId: 9n,
      status: 'sold',
      createdAt: new Date(Date.now() + 1000),
    });
    expect(namesOf(await connection('filter: { categoryId: 9 }'))).toEqual(['Late', 'Early']);
    expect(namesOf(await connection('filter: { categoryId: 9 }, orderBy: newest'))).toEqual([
      'Late',
      'Early',
    ]);
    expect(namesOf(await connection('orderBy: newest, first: 2'))).toEqual(['Late', 'Early']);
    // The other tests, in whatever order, know the animals of the beginning.
    for (const one of [id, earlyId]) await petsStore.remove(one, {});
  });
});

test.each([
  ['first: 5, last: 5', ['last']],
  ['first: 20, last: 5', ['last']],
  ['last: 0', ['last']],
  ['last: 101', ['last']],
  ['before: "cGV0OjE"', ['before']],
  ['last: 5, after: "cGV0OjE"', ['after']],
  ['last: 5, before: "x"', ['before']],
  ['orderBy: newest, after: "cGV0OjE"', ['after']],
  ['after: "bmV3ZXN0OjE6MQ"', ['after']],
])('%s is rejected', async (args, fields) => {
  expect(await fieldsOf(args)).toEqual([['invalid_request', fields]]);
});

test('a variable for `first` without a value is no `first`, and one with a value or a default is', async () => {
  const ask = (variable: string, variables: object) =>
    askGraphQL<{ petsConnection: Connection }>(
      gateway,
      north?.secret ?? '',
      `query (${variable}) { petsConnection(first: $first, last: 2) ${FIELDS} }`,
      { ...variables },
    );
  for (const answer of [await ask('$first: Int', {}), await ask('$first: Int', { first: null })])
    expect([answer.errors, answer.data?.petsConnection.edges.length]).toEqual([undefined, 2]);
  for (const answer of [await ask('$first: Int', { first: 20 }), await ask('$first: Int = 20', {})])
    expect(answer.errors?.[0]?.extensions.code).toBe('invalid_request');
});

test('the size of a page from the end counts too', async () => {
  const aliases = Array.from({ length: 300 }, (_, i) => `a${i}: name`).join(' ');
  const { errors } = await askGraphQL(
    gateway,
    north?.secret ?? '',
    `{ petsConnection(last: 100) { edges { node { ${aliases} } } } }`,
  );
  expect(errors?.[0]?.extensions.code).toBe('query_too_costly');
});

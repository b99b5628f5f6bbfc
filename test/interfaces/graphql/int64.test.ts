import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { AMPLE } from '../../support/rest-client.js';
import { askGraphQL, codesOf, dataOf, type GraphQLBody } from './client.js';

const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;
let key: string;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  ({ secret: key } = await gateway.keyOn('enterprise', AMPLE));
});
// No pet is there when a test begins.
afterEach(() => raw.collection('pets').deleteMany({}));
afterAll(() => raw.close());

const EXACT = [0n, 1n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, INT64_MAX, INT64_MIN];
/** A pet that is not there is answered with its id, in the error's message: a way in and out without a store. */
const MISSING = /^There is no pet with the id (-?\d+)\.$/;

async function idSaid(body: Promise<GraphQLBody<unknown>>): Promise<string | undefined> {
  const message = (await body).errors?.[0]?.message ?? '';
  return MISSING.exec(message)?.[1] ?? message;
}
async function askByGet(query: string, variables: string): Promise<GraphQLBody> {
  const parameters = new URLSearchParams({ query, variables });
  return (await (await gateway.request(`/graphql?${parameters.toString()}`, { key })).json()) as GraphQLBody;
}
const PET = 'query ($id: Int64!) { pet(id: $id) { id } }';

/** Every way to hand over an integer. */
const WAYS: [string, (value: bigint) => Promise<GraphQLBody<unknown>>][] = [
  ['an integer literal', (value) => askGraphQL(gateway, key, `{ pet(id: ${value}) { id } }`)],
  ['a string literal', (value) => askGraphQL(gateway, key, `{ pet(id: "${value}") { id } }`)],
  ['a number in the variables of a POST', (value) => askGraphQL(gateway, key, PET, `{"id":${value}}`)],
  ['a string in the variables of a POST', (value) => askGraphQL(gateway, key, PET, `{"id":"${value}"}`)],
  ['a number in the variables of a GET', (value) => askByGet(PET, `{"id":${value}}`)],
  ['a string in the variables of a GET', (value) => askByGet(PET, `{"id":"${value}"}`)],
  [
    'the default of a variable',
    (value) => askGraphQL(gateway, key, `query ($id: Int64! = ${value}) { pet(id: $id) { id } }`),
  ],
];

describe.each(WAYS)('%s', (_name, ask) => {
  test.each(EXACT)('is taken exactly: %d', async (value) => {
    expect(await idSaid(ask(value))).toBe(String(value));
  });

  test('is taken exactly, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), async (value) => {
        expect(await idSaid(ask(value))).toBe(String(value));
      }),
      { numRuns: 30 },
    );
  });

  test.each([INT64_MAX + 1n, INT64_MIN - 1n, 10n ** 30n])('is refused outside int64: %d', async (value) => {
    expect(await codesOf(ask(value))).toEqual(['invalid_request']);
  });
});

test.each(EXACT)(
  'comes back as a decimal string, from a list of variables and an input: %d',
  async (value) => {
    const create = 'mutation ($input: NewPet!) { createPet(input: $input) { id categoryId } }';
    const { createPet } = await dataOf(
      askGraphQL<{ createPet: { id: string; categoryId: string } }>(
        gateway,
        key,
        create,
        `{"input":{"name":"Rex","categoryId":${value}}}`,
      ),
    );
    expect(createPet.categoryId).toBe(String(value));
    const literal = `mutation { createPet(input: { name: "Rex", categoryId: ${value} }) { categoryId } }`;
    expect(await dataOf(askGraphQL(gateway, key, literal))).toEqual({
      createPet: { categoryId: String(value) },
    });

    const list = 'query ($ids: [Int64!]!) { petsByIds(ids: $ids) { id categoryId } }';
    for (const ids of [`[${createPet.id}]`, `["${createPet.id}"]`, `[${value}, ${createPet.id}]`]) {
      const { petsByIds } = await dataOf(
        askGraphQL<{ petsByIds: ({ categoryId: string } | null)[] }>(gateway, key, list, `{"ids":${ids}}`),
      );
      expect(petsByIds.at(-1)).toEqual({ id: createPet.id, categoryId: String(value) });
    }
  },
);

describe('a JSON number that is an integer is one, however it is written', () => {
  test.each([
    ['7000.0', '7000'],
    ['7e3', '7000'],
    ['70000E-1', '7000'],
    ['-0', '0'],
    ['9007199254740993.0', '9007199254740993'],
    ['9.007199254740993e15', '9007199254740993'],
  ])('%s is %s', async (text, value) => {
    expect(await idSaid(askGraphQL(gateway, key, PET, `{"id":${text}}`))).toBe(value);
    expect(await idSaid(askByGet(PET, `{"id":${text}}`))).toBe(value);
  });
});

describe('what is no int64', () => {
  test.each([
    '1.5',
    '1e3',
    'true',
    '[1, 2]',
    '{ a: 1 }',
    'available',
    '"05"',
    '"+5"',
    '"1e3"',
    '"1.0"',
    '""',
    '" 5"',
    '"-0"',
    'null',
  ])('as a literal: %s', async (literal) => {
    expect(await codesOf(askGraphQL(gateway, key, `{ pet(id: ${literal}) { id } }`))).toEqual([
      'invalid_request',
    ]);
  });

  test.each([
    '1.5',
    'true',
    '[1, 2]',
    '{"a":1}',
    '"05"',
    '"+5"',
    '"1e3"',
    '"1.0"',
    '""',
    '"5 "',
    '"0x5"',
    '"٥"',
    'null',
    '1e999999999',
    '9223372036854775807.5',
  ])('as a variable: %s', async (json) => {
    const variables = `{"id":${json}}`;
    expect(await codesOf(askGraphQL(gateway, key, PET, variables))).toEqual(['invalid_request']);
    expect(await codesOf(askByGet(PET, variables))).toEqual(['invalid_request']);
  });
});

test('integers past 2^53 for other types are refused, never rounded', async () => {
  const query = 'query ($n: Int) { pets(limit: $n) { id } }';
  expect(await codesOf(askGraphQL(gateway, key, query, '{"n":9007199254740993}'))).toEqual([
    'invalid_request',
  ]);
});

import { MAX_FIELDS } from '../../../src/interfaces/graphql/answer-size.js';
import { INTERFACE_SCHEMA, measureIn, PATHS_WITHOUT_END, PUBLIC_SCHEMA } from './measure.js';

const measure = measureIn(PUBLIC_SCHEMA);
const fieldsOf = (...args: Parameters<typeof measure>) => measure(...args).fields;
const TYPES = Object.keys(PUBLIC_SCHEMA.getTypeMap()).length;

describe('an answer may have as many fields as its lists multiply to', () => {
  test.each<[string, number, string, Record<string, unknown>?]>([
    ['__typename', 1, '{ __typename }'],
    ['a field without a list', 1 + 2, '{ pet(id: 1) { id name } }'],
    ['a list of the default size', 1 + 20 * 2, '{ pets { id name } }'],
    ['an explicit null, which means the default', 1 + 20, '{ pets(limit: null) { id } }'],
    ['a list of a given size', 1 + 3 * 2, '{ pets(limit: 3) { id name } }'],
    ['a size beside another argument', 1 + 3, '{ pets(status: sold, limit: 3) { id } }'],
    ['no more than a list can have', 1 + 100, '{ pets(limit: 2000) { id } }'],
    ['no less than one, though a size is below zero', 1 + 1, '{ pets(limit: -2000) { id } }'],
    ['a size in a variable', 1 + 3, 'query ($n: Int) { pets(limit: $n) { id } }', { n: 3 }],
    [
      "the argument's default for a variable without a value",
      1 + 20,
      'query ($n: Int) { pets(limit: $n) { id } }',
    ],
    ["a variable's default", 1 + 3, 'query ($n: Int = 3) { pets(limit: $n) { id } }'],
    ['ids', 1 + 100, '{ petsByIds(ids: [1]) { id } }'],
    ['a list whose length is not stated', 1 + 5 * 2, '{ plans { id name } }'],
    [
      'the domains of a project, each with some records',
      1 + (1 + 50 * (1 + 5)),
      '{ project(id: "a") { domains { records { name } } } }',
    ],
    ['its redirects', 1 + (1 + 51 * 2), '{ project(id: "a") { redirects { from to } } }'],
    ['such a list below a field', 1 + (1 + 5), '{ quota { windows { used } } }'],
    [
      'a connection, whose edges are as many as it was asked for',
      1 + 4 * (1 + (1 + 1) + 1 + (1 + 1)),
      '{ petsConnection(first: 4) { edges { node { id } cursor } pageInfo { hasNextPage } } }',
    ],
    [
      'a connection within a connection',
      1 + 2 * (1 + (1 + (1 + 3 * (1 + (1 + 1))))),
      '{ projects(first: 2) { edges { node { apiKeys(first: 3) { edges { node { id } } } } } } }',
    ],
    [
      'periods of traffic, each with a group for each source and interface',
      1 + (1 + 100 * (1 + (1 + 12 * 2))),
      '{ traffic { periods { start groups { source requests } } } }',
    ],
    [
      'the days of a range',
      1 + (1 + (1 + 31 * 2 + 1)),
      '{ project(id: "a") { usage(from: "2029-01-01T00:00:00Z", to: "2029-02-01T00:00:00Z") { days { date requests } cost } } }',
    ],
    [
      'the days of a range below others, in a fragment too',
      1 + 20 * (1 + (1 + (1 + (1 + 1 + 30))) + (1 + 1)),
      '{ apiKeys { edges { node { usage { a: underPlan(plan: free) { daysOver { keys } } } } } pageInfo { ...F } } } fragment F on PageInfo { endCursor }',
    ],
    ['aliases', 2 * (1 + 3), '{ a: pets(limit: 3) { id } b: pets(limit: 3) { id } }'],
    [
      'inline fragments',
      1 + 3 * 2,
      '{ ... on Query { ... { pets(limit: 3) { ... on Pet { id } ... { name } } } } }',
    ],
    [
      'a fragment',
      1 + 3 * 2,
      '{ ...Q } fragment Q on Query { pets(limit: 3) { ...P } } fragment P on Pet { id name }',
    ],
    [
      'a fragment twice in one place',
      1 + 3 * 2,
      '{ pets(limit: 3) { ...P ...P } } fragment P on Pet { id name }',
    ],
    [
      'a fragment in two places',
      1 + 2 * 2 + 1 + 3 * 2,
      '{ a: pets(limit: 2) { ...P } b: pets(limit: 3) { ...P } } fragment P on Pet { id name }',
    ],
    [
      'what a mutation answers with',
      1 + (1 + (1 + (1 + 3 * (1 + 1)))),
      'mutation { revokeApiKey(input: { id: "a" }) { apiKey { project { apiKeys(first: 3) { edges { cursor } } } } } }',
    ],
    ['the types of the schema', 1 + (1 + TYPES * 2), '{ __schema { types { name kind } } }'],
    [
      'the fields of a type, about three',
      1 + (1 + 3 * 2),
      '{ __type(name: "Pet") { fields { name description } } }',
    ],
    [
      'what else introspection lists, less than one',
      1 + (1 + 3 * (1 + 1)),
      '{ __type(name: "Pet") { fields { args { name } } } }',
    ],
  ])('%s: %d', (_what, expected, source, variables = {}) => {
    expect(fieldsOf(source, variables)).toBe(expected);
  });
});

test('fields of an interface, and of what implements it, are measured as those of any object', () => {
  const of = (source: string) => measureIn(INTERFACE_SCHEMA)(source).fields;
  expect(of('{ animals { young { __typename } } }')).toBe(1 + 3 * (1 + 5));
  expect(of('{ animals { ... on Dog { puppies { __typename } } } }')).toBe(1 + 3 * (1 + 7));
});

test('a fragment is measured once, however many paths lead to it', () => {
  expect(fieldsOf(PATHS_WITHOUT_END)).toBeGreaterThan(MAX_FIELDS);
});

test('a bomb of fragments in one place is measured in linear time', () => {
  const levels = 400;
  const bomb = Array.from(
    { length: levels },
    (_, i) =>
      `fragment F${i} on Query { ${i + 1 < levels ? `...F${i + 1} ...F${i + 1}` : 'pet(id: 1) { id }'} }`,
  );
  expect(fieldsOf(`{ ...F0 ...F0 } ${bomb.join(' ')}`)).toBe(2);
});

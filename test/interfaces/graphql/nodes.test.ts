import { MAX_NODES } from '../../../src/interfaces/graphql/answer-size.js';
import { INTERFACE_SCHEMA, measureIn, PATHS_WITHOUT_END, PUBLIC_SCHEMA } from './measure.js';

const measure = measureIn(PUBLIC_SCHEMA);
/** A page has its items and what is below them, and is a read of its own. */
const page = (size: number, below = 0) => Math.max(8, size * (1 + below));
const NOW = Date.parse('2029-06-15T12:00:00Z');
const nodesOf = (source: string, variables: Record<string, unknown> = {}) =>
  measure(source, variables, NOW).nodes;

describe('a root field may ask for as many nodes as its pages multiply to', () => {
  test.each<[string, number, string, Record<string, unknown>?]>([
    ['no page', 0, '{ quota { windows { used } } }'],
    ['a list that is no page', 0, '{ pets(limit: 50) { id } }'],
    ['__typename', 0, '{ __typename apiKey(id: "a") { __typename } }'],
    ['a page of the default size', 20, '{ apiKeys { edges { node { id } } } }'],
    ['an explicit null, which means the default', 20, '{ apiKeys(first: null) { edges { node { id } } } }'],
    ['a page of a given size', 17, '{ apiKeys(first: 17) { edges { node { id } } } }'],
    ['no more than a page can have', 100, '{ apiKeys(first: 2000) { edges { node { id } } } }'],
    [
      'a page of few items as 8 nodes, because it is a read of its own',
      8,
      '{ apiKeys(first: 1) { edges { cursor } } }',
    ],
    ['no less than that', 8, '{ apiKeys(first: -7) { edges { node { id } } } }'],
    ['a size beside another argument', 17, '{ apiKeys(after: "x", first: 17) { edges { node { id } } } }'],
    ['a size in a variable', 17, 'query ($n: Int) { apiKeys(first: $n) { edges { cursor } } }', { n: 17 }],
    [
      "the argument's default for a variable without a value",
      20,
      'query ($n: Int) { apiKeys(first: $n) { edges { cursor } } }',
    ],
    [
      "the argument's default for a variable that is null",
      20,
      'query ($n: Int = 7) { apiKeys(first: $n) { edges { cursor } } }',
      { n: null },
    ],
    ["a variable's default", 17, 'query ($n: Int = 17) { apiKeys(first: $n) { edges { cursor } } }'],
    [
      "a variable's default in pages within a page",
      page(5, page(5)),
      'query ($n: Int = 5) { projects(first: $n) { edges { node { apiKeys(first: $n) { edges { cursor } } } } } }',
    ],
    [
      'a value in place of a default',
      9,
      'query ($n: Int = 7) { apiKeys(first: $n) { edges { cursor } } }',
      { n: 9 },
    ],
    ['usage of the default range', 30, '{ project(id: "a") { usage { requests } } }'],
    [
      'usage of as many days as its range touches',
      31,
      '{ project(id: "a") { usage(from: "2029-01-01T00:00:00Z", to: "2029-02-01T00:00:00Z") { requests } } }',
    ],
    [
      'usage of a range in variables, up to now',
      10 * (1 + 15),
      'query ($from: DateTime, $to: DateTime) { apiKeys(first: 10) { edges { node { usage(from: $from, to: $to) { requests } } } } }',
      { from: '2029-06-01t12:00:00+00:00' },
    ],
    [
      'usage compared with two plans',
      30 * (1 + 4 + 4),
      '{ project(id: "a") { usage { a: underPlan(plan: free) { over } b: underPlan(plan: pro) { over } } } }',
    ],
    [
      'a range that is rejected',
      1,
      '{ project(id: "a") { usage(from: "2020-01-01T00:00:00Z") { requests } } }',
    ],
    ['a page that selects nothing of its nodes', 20, '{ apiKeys { pageInfo { hasNextPage } } }'],
    ['a list as long as a project may have domains', 50, '{ project(id: "a") { domains { id } } }'],
    [
      'such a list within a page; what is a part of its project is none',
      2 * (1 + 50),
      '{ projects(first: 2) { edges { node { domains { id } redirects { from } } } } }',
    ],
    [
      'comparisons of deploys, which count as 45 each, also under several names',
      2 * (1 + 45 + 45 + 45),
      '{ project(id: "a") { deploys(first: 2) { edges { node { a: changes { added } b: changes { added } changesFromLive { added } } } } } }',
    ],
    ['a page below a field that is none', 20, '{ project(id: "a") { apiKeys { edges { cursor } } } }'],
    [
      'pages within a page',
      page(2, page(3)),
      '{ projects(first: 2) { edges { node { apiKeys(first: 3) { edges { cursor } } } } } }',
    ],
    [
      'two pages within a page',
      page(2, page(3) + page(4)),
      '{ projects(first: 2) { edges { node { a: apiKeys(first: 3) { edges { cursor } } b: apiKeys(first: 4) { edges { cursor } } } } } }',
    ],
    [
      'a page beside an inline fragment with another',
      page(2, page(3) + page(4)),
      '{ projects(first: 2) { edges { node { apiKeys(first: 3) { edges { cursor } } ... { a: apiKeys(first: 4) { edges { cursor } } } } } } }',
    ],
    [
      'a page within an inline fragment within a page',
      page(2, page(3)),
      '{ projects(first: 2) { edges { node { ... on Project { ... { apiKeys(first: 3) { edges { cursor } } } } } } } }',
    ],
    [
      'a page within a fragment within a page',
      page(2, page(3)),
      '{ projects(first: 2) { edges { node { ...P } } } } fragment P on Project { apiKeys(first: 3) { edges { cursor } } }',
    ],
    [
      'a fragment in two places',
      page(2, page(3) + page(3)),
      '{ projects(first: 2) { edges { a: node { ...P } b: node { ...P } } } } fragment P on Project { apiKeys(first: 3) { edges { cursor } } }',
    ],
    [
      'a page of what a mutation answers with',
      page(3),
      'mutation { revokeApiKey(input: { id: "a" }) { apiKey { project { apiKeys(first: 3) { edges { cursor } } } } } }',
    ],
  ])('%s: %d', (_what, expected, source, variables = {}) => {
    expect(nodesOf(source, variables)).toBe(expected);
  });
});

test.each([
  [
    'two fields',
    '{ a: apiKeys(first: 30) { edges { cursor } } b: apiKeys(first: 50) { edges { cursor } } quota { windows { used } } }',
  ],
  [
    'inline fragments',
    '{ ... { a: apiKeys(first: 50) { edges { cursor } } } ... on Query { b: apiKeys(first: 30) { edges { cursor } } } }',
  ],
  [
    'fragments',
    '{ ...A ...B } fragment A on Query { apiKeys(first: 50) { edges { cursor } } } fragment B on Query { b: apiKeys(first: 30) { edges { cursor } } }',
  ],
  ['a fragment twice', '{ ...A ...A } fragment A on Query { apiKeys(first: 50) { edges { cursor } } }'],
])('root fields are measured one by one, the largest counts: in %s', (_in, source) => {
  expect(nodesOf(source)).toBe(50);
});

test('fields of an interface, and of what implements it, are measured as those of any object', () => {
  const of = (source: string) => measureIn(INTERFACE_SCHEMA)(source).nodes;
  expect(of('{ animals { young { __typename } } }')).toBe(page(3, page(5)));
  expect(of('{ animals { ... on Dog { puppies { __typename } } } }')).toBe(page(3, page(7)));
});

test('a fragment that one selection spreads twice counts once, as it is executed', () => {
  const fragment = 'fragment P on Project { apiKeys(first: 3) { edges { cursor } } }';
  expect(nodesOf(`{ projects(first: 2) { edges { node { ...P ...P } } } } ${fragment}`)).toBe(
    page(2, page(3)),
  );
});

test('a fragment is measured once, however many paths lead to it', () => {
  expect(nodesOf(PATHS_WITHOUT_END)).toBeGreaterThan(MAX_NODES);
});

test('a bomb of fragments at the root is measured in linear time', () => {
  const levels = 400;
  const bomb = Array.from(
    { length: levels },
    (_, i) =>
      `fragment F${i} on Query { ${i + 1 < levels ? `...F${i + 1} ...F${i + 1}` : 'apiKeys { edges { cursor } }'} }`,
  );
  expect(nodesOf(`{ ...F0 ...F0 } ${bomb.join(' ')}`)).toBe(20);
});

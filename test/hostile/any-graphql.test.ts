import fc from 'fast-check';
import { ERROR_STATUS, type ErrorCode } from '../../src/lib/errors.js';
import type { GraphQLBody } from '../interfaces/graphql/client.js';
import { expectCommonHeaders } from '../support/expect-answer.js';
import { useStarted } from '../support/gateway.js';
import type { RawAnswer } from '../support/raw-http.js';
import { startVictim } from './victim.js';

/** Whatever is asked of GraphQL: no internal error, and every error in its one form. For REST: rest/any-request. */
const victim = useStarted(startVictim);
afterEach(() => victim.expectAlive());

const OPTIONS = { numRuns: 120 };

function expectProper(answer: RawAnswer, method = 'POST'): void {
  expect(answer.status).not.toBe(500);
  expectCommonHeaders(answer);
  if (method === 'HEAD' || answer.status === 204) return;
  const bodies = [JSON.parse(answer.body) as GraphQLBody | GraphQLBody[]].flat();
  for (const { data, errors } of bodies) {
    if (data === undefined) expect(errors?.length).toBeGreaterThan(0);
    for (const { message, extensions } of errors ?? []) {
      expect(message).toEqual(expect.any(String));
      expect(ERROR_STATUS[extensions.code as ErrorCode]).toBe(extensions.status);
      expect(extensions.status).not.toBe(500);
      expect(extensions.requestId).toBe(answer.headers.get('x-request-id'));
    }
  }
}

const word = fc.constantFrom(
  ...['{', '}', '(', ')', '[', ']', ':', '!', '=', '$', '@', '|', '&', '...', '#', '\n', '"', '"""', ','],
  ...[
    'query',
    'mutation',
    'subscription',
    'fragment',
    'on',
    'A',
    'B',
    '$v',
    'null',
    'true',
    '1',
    '-1',
    '1e9',
  ],
  ...['pets', 'pet', 'petsByIds', 'petsConnection', 'quota', 'plans', '__typename', '__schema', '__type'],
  ...['id', 'name', 'status', 'edges', 'node', 'limit', 'first', 'after', 'ids', 'sold', 'types', 'fields'],
  ...[
    'Pet',
    'Query',
    'Int64',
    'Int',
    'PetStatus',
    '@skip(if: true)',
    '@include(if: $v)',
    '"x"',
    '9223372036854775808',
  ],
);
/** Text that is nearly a document, so that it gets past the parser now and then. */
const nonsense = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));

const literal = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    '1',
    '0',
    '-1',
    '101',
    '1.5',
    '1e3',
    '""',
    '"5"',
    'sold',
    'lost',
    '[1]',
    '[]',
    '{}',
    '$v',
  ),
  fc.string().map((text) => JSON.stringify(text)),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
);
const selection = fc.oneof(
  fc.tuple(literal, literal).map(([a, b]) => `pets(limit: ${a}, after: ${b}) { id name status cursor }`),
  literal.map((a) => `pets(status: ${a}) { id }`),
  literal.map((a) => `pet(id: ${a}) { id }`),
  literal.map((a) => `petsByIds(ids: ${a}) { id name }`),
  fc
    .tuple(literal, literal)
    .map(
      ([a, b]) =>
        `petsConnection(first: ${a}, after: ${b}) { edges { node { id } } pageInfo { hasNextPage } }`,
    ),
  literal.map((a) => `project(id: ${a}) { id apiKeys { edges { node { id } } } }`),
  fc.constantFrom(
    'quota { windows { used } }',
    'plans { id }',
    'projects { edges { node { id } } }',
    '__typename',
  ),
);
const document = fc
  .tuple(
    fc.constantFrom(
      '',
      'query ',
      'query A ',
      'query ($v: Int) ',
      'query ($v: Int64 = 5) ',
      'query ($v: [Int64!]!) ',
    ),
    fc.array(selection, { minLength: 1, maxLength: 4 }),
  )
  .map(([operation, fields]) => `${operation}{ ${fields.map((field, i) => `a${i}: ${field}`).join(' ')} }`);
const mutation = fc
  .tuple(literal, literal, literal)
  .map(
    ([a, b, c]) =>
      `mutation { createPet(input: { name: ${a}, categoryId: ${b}, status: ${c} }) { id categoryId } }`,
  );
const request = fc.record(
  {
    query: fc.oneof({ weight: 4, arbitrary: document }, mutation, nonsense, fc.jsonValue()),
    variables: fc.oneof(
      fc.dictionary(fc.constantFrom('v', 'x', '__proto__'), fc.jsonValue()),
      fc.jsonValue(),
    ),
    operationName: fc.oneof(fc.constantFrom('A', '', null), fc.jsonValue()),
    extensions: fc.jsonValue(),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['query'] },
);
const accept = fc.constantFrom(
  'application/json',
  'application/graphql-response+json',
  '*/*',
  'text/html',
  'x',
);

const post = (body: string, accepted: string, type = 'application/json') =>
  victim.post(body, { path: '/graphql', type, headers: [`Accept: ${accepted}`] });

test('a request with a key gets a proper answer, whatever its document and variables are', async () => {
  await fc.assert(
    fc.asyncProperty(request, accept, async (r, a) => expectProper(await post(JSON.stringify(r), a))),
    { numRuns: 400 },
  );
});

test('and so does a batch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 11 }), accept, async (r, a) =>
      expectProper(await post(JSON.stringify(r), a)),
    ),
    OPTIONS,
  );
});

test('and any JSON, of any declared type', async () => {
  const type = fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-16', 'x', '');
  await fc.assert(
    fc.asyncProperty(fc.json(), accept, type, async (text, a, t) => expectProper(await post(text, a, t))),
    OPTIONS,
  );
});

test('and any method and query string', async () => {
  const method = fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH');
  const name = fc.constantFrom('query', 'variables', 'operationName', 'extensions', 'x', '__proto__');
  const value = fc.oneof(document, nonsense, fc.json(), fc.constantFrom('%', '%FF', '+'));
  const pair = fc
    .tuple(name, value)
    .map(([n, v]) => `${n}=${v.startsWith('%') ? v : encodeURIComponent(Buffer.from(v).toString())}`);
  await fc.assert(
    fc.asyncProperty(method, fc.array(pair, { maxLength: 4 }), async (m, pairs) => {
      const target = `/graphql?${pairs.join('&')}`;
      expectProper(await victim.send(victim.head(`${m} ${target} HTTP/1.1`, 'Accept: application/json')), m);
    }),
    OPTIONS,
  );
});

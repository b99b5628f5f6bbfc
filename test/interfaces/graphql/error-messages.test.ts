import { AMPLE } from '../../support/rest-client.js';
import { useGateway } from '../../support/gateway.js';
import { askGraphQL, dataOf, type GraphQLBody } from './client.js';

/** What a frontend developer gets wrong, and the sentence that comes back: which part, what is expected, what to do. */
const gateway = useGateway();
const keys = { server: '', free: '', owner: '', admin: '' };
beforeAll(async () => {
  keys.server = (await gateway.keyOn('enterprise', AMPLE)).secret;
  keys.free = (await gateway.keyOn('free')).secret;
  keys.owner = (await gateway.keyOn('free', undefined, { role: 'owner' })).secret;
  keys.admin = (await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' })).secret;
});

/** Sends the text as it is; the first error. */
async function errorOf(body: string, key: keyof typeof keys = 'server', type = 'application/json') {
  const answer = await gateway.request('/graphql', {
    method: 'POST',
    key: keys[key],
    body,
    headers: { 'content-type': type },
  });
  const parsed = (await answer.json()) as GraphQLBody | GraphQLBody[];
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap(({ errors = [] }) => errors)[0];
}
const ask = (query: string, variables = '{}', key?: keyof typeof keys) =>
  errorOf(`{"query":${JSON.stringify(query)},"variables":${variables}}`, key);

const RANGE = 'must be an integer from -2^63 to 2^63-1; received';
const INT = 'must be an integer from -2147483648 to 2147483647; received';
const STATUSES = 'must be one of available, pending, sold; received';
const FIELDS = 'is not a field of NewPet, which has name, categoryId, status';

describe('a document that is not valid: the place in it, what is expected, and what there is', () => {
  test.each([
    ['{ petz { id } }', 'Cannot query field "petz" on type "Query". Did you mean "pet" or "pets"?'],
    [
      '{ pets { breed } }',
      'Cannot query field "breed" on type "Pet". It has id, name, categoryId, status, createdAt, cursor, project, externalId.',
    ],
    ['{ pets(limi: 5) { id } }', 'Unknown argument "limi" on field "Query.pets". Did you mean "limit"?'],
    [
      '{ petsByIds(ids: [], page: 5) { id } }',
      'Unknown argument "page" on field "Query.petsByIds". It takes ids.',
    ],
    ['{ plans(page: 5) { id } }', 'Unknown argument "page" on field "Query.plans". It takes none.'],
    ['{ pet { id } }', 'Field "pet" argument "id" of type "Int64!" is required, but it was not provided.'],
    [
      '{ pets }',
      'Field "pets" of type "[Pet!]!" must have a selection of subfields. Did you mean "pets { ... }"?',
    ],
    [
      '{ pets(limit: $n) { id } }',
      'Variable "$n" is not defined. Declare it in the parentheses after the operation\'s name: ($n: Int).',
    ],
    [
      'query ($n: String) { pets(limit: $n) { id } }',
      'Variable "$n" of type "String" used in position expecting type "Int". Declare it in the parentheses after the operation\'s name: ($n: Int).',
    ],
    ['{ pets { id }', /^Syntax Error: Expected Name, found <EOF>\. .* is a closing brace missing\?$/],
    [
      'subscription { petAdded { id } }',
      'The gateway has no subscriptions, only queries and mutations. Repeat a query to find changes.',
    ],
    [
      `{ ${'__typename '.repeat(2001)} }`,
      /^The document has more than 2000 tokens\. Send several requests, or use fragments for repeated parts\.$/,
    ],
    [
      `{ __schema { types ${'{ fields { type '.repeat(6)} { name } ${'} } '.repeat(6)} } }`,
      /^Maximum introspection depth exceeded\. .* send the introspection query of your tool\.$/,
    ],
  ])('%s', async (query, message) => {
    const error = await ask(query);
    expect(error).toMatchObject({ extensions: { code: 'invalid_request', status: 400 } });
    expect(error?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(error).toHaveProperty('locations');
  });
});

describe('names an invalid value, in the document or in a variable', () => {
  test.each([
    ['{ pets(limit: "5") { id } }', 'limit', 'pets', `${INT} the string "5"`],
    ['{ pet(id: 9223372036854775808) { id } }', 'id', 'pet', `${RANGE} the number 9223372036854775808`],
    ['{ pet(id: 1.5) { id } }', 'id', 'pet', `${RANGE} the number 1.5`],
    ['{ petsByIds(ids: [1, 2.5]) { id } }', 'ids[1]', 'petsByIds', `${RANGE} the number 2.5`],
    ['{ pets(status: gone) { id } }', 'status', 'pets', `${STATUSES} gone without quotes`],
    ['{ pets(status: "sold") { id } }', 'status', 'pets', `${STATUSES} the string "sold"`],
    ['{ pets(limit: [5]) { id } }', 'limit', 'pets', `${INT} a list`],
    ['{ petsByIds(ids: null) { id } }', 'ids', 'petsByIds', 'must not be null'],
    [
      'mutation { createPet(input: "Rex") { id } }',
      'input',
      'createPet',
      'must be an object with the fields of NewPet: name, categoryId, status; received the string "Rex"',
    ],
    [
      'mutation { createPet(input: { name: Rex, categoryId: 1 }) { id } }',
      'input.name',
      'createPet',
      'must be a string; received Rex without quotes',
    ],
    [
      'mutation { createPet(input: { name: "Rex", categoryId: 1, stat: sold }) { id } }',
      'input.stat',
      'createPet',
      FIELDS,
    ],
    ['mutation { createPet(input: { name: "Rex" }) { id } }', 'input.categoryId', 'createPet', 'is required'],
    ['{ pets @skip(if: "no") { id } }', 'if', '@skip', 'must be true or false; received the string "no"'],
  ])('%s', async (query, field, of, message) => {
    expect(await ask(query)).toMatchObject({
      message: `Argument "${field}" of "${of}" ${message}`,
      locations: [{ line: 1 }],
      extensions: { code: 'invalid_request', status: 400, details: { fields: [{ field, message }] } },
    });
  });

  test('a default', async () => {
    const message = `${INT} the string "5"`;
    expect(await ask('query ($n: Int = "5") { pets(limit: $n) { id } }')).toMatchObject({
      message: `Default of "$n" ${message}`,
      extensions: { details: { fields: [{ field: 'n', message }] } },
    });
  });

  const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }';
  const ONE = 'query ($id: Int64!) { pet(id: $id) { id } }';
  test.each([
    ['query ($n: Int) { pets(limit: $n) { id } }', '{"n":"5"}', 'n', `${INT} the string "5"`],
    [
      'query ($s: PetStatus) { pets(status: $s) { id } }',
      '{"s":"gone"}',
      's',
      `${STATUSES} the string "gone"`,
    ],
    [ONE, '{"id":9223372036854775808}', 'id', `${RANGE} a number out of range`],
    [ONE, '{"id":1e400}', 'id', `${RANGE} a number out of range`],
    [ONE, '{"id":1.5}', 'id', `${RANGE} the number 1.5`],
    [ONE, '{}', 'id', 'is required: send a value of type Int64! in "variables"'],
    [ONE, '{"id":null}', 'id', 'must not be null'],
    [CREATE, '{"input":{"name":"Rex","categoryId":"x"}}', 'input.categoryId', `${RANGE} the string "x"`],
    [CREATE, '{"input":{"name":"Rex","categoryId":1,"breed":"mix"}}', 'input.breed', FIELDS],
  ])('%s with %s', async (query, variables, field, message) => {
    expect(await ask(query, variables)).toMatchObject({
      message: `Variable "$${field}" ${message}`,
      locations: [{ line: 1 }],
      extensions: { code: 'invalid_request', status: 400, details: { fields: [{ field, message }] } },
    });
  });
});

describe('which operation', () => {
  const TWO = 'query A { __typename } query B { __typename }';
  test.each([
    [
      TWO,
      undefined,
      'The document has several operations. Name the one to execute in "operationName": A, B.',
    ],
    [TWO, 'C', 'The document has no operation "C". Set "operationName" to one of A, B.'],
    [
      '{ __typename }',
      'A',
      'The document has no operation "A". Its only operation has no name, so omit "operationName".',
    ],
  ])('%s as %s', async (query, operationName, message) => {
    expect(await errorOf(JSON.stringify({ query, operationName }))).toMatchObject({
      message,
      extensions: { code: 'invalid_request', status: 400 },
    });
  });
});

describe('a request that cannot be read', () => {
  const many = JSON.stringify(Array.from({ length: 11 }, () => ({ query: '{ __typename }' })));
  test.each([
    ['{"query":"{ __typename }",}', 'body: not JSON: property name expected at offset 26'],
    [
      '"{ pets { id } }"',
      'body: must be a JSON object such as {"query": "{ pets { id } }"}; received the string "{ pets { id } }"',
    ],
    ['{}', 'query: is required: send the GraphQL document'],
    ['{"query":5}', 'query: must be a string with the GraphQL document; received the number 5'],
    [
      '{"query":"{ __typename }","variables":[]}',
      'variables: must be an object with a member for each variable; received a list',
    ],
    [many, 'body: a batch has 1 to 10 operations, not 11: send several requests'],
    ['[{"query":"{ __typename }"},{}]', '[1].query: is required: send the GraphQL document'],
  ])('%s', async (body, message) => {
    expect(await errorOf(body)).toMatchObject({
      message,
      extensions: { code: 'invalid_request', status: 400, details: { fields: [expect.anything()] } },
    });
  });

  test('of another media type', async () => {
    expect(await errorOf('{ pets { id } }', 'server', 'application/graphql')).toMatchObject({
      message: 'Send the body as Content-Type: application/json, in UTF-8.',
      extensions: { code: 'unsupported_media_type', status: 415 },
    });
  });

  test('a mutation over GET', async () => {
    const query = encodeURIComponent('mutation { createPet(input: { name: "x", categoryId: 1 }) { id } }');
    const answer = await gateway.request(`/graphql?query=${query}`, { key: keys.server });
    expect(((await answer.json()) as GraphQLBody).errors).toMatchObject([
      {
        message: 'GET is for queries only. Send mutations by POST.',
        extensions: { code: 'method_not_allowed', status: 405 },
      },
    ]);
  });
});

describe('an error during execution names its field in path', () => {
  test.each([
    [
      '{ a: petsConnection(first: 0) { pageInfo { endCursor } } }',
      'a',
      'first: must be an integer from 1 to 100; received 0',
    ],
    ['{ pets(limit: 101) { id } }', 'pets', 'limit: must be an integer from 1 to 100; received 101'],
    [
      `{ petsByIds(ids: [${Array.from({ length: 101 }, (_, i) => i).join(' ')}]) { id } }`,
      'petsByIds',
      'ids: must be at most 100 ids, not 101',
    ],
    [
      '{ pets(after: "abc") { id } }',
      'pets',
      'after: must be a cursor from an earlier page of this list, in this order',
    ],
    [
      'mutation { createPet(input: { name: " ", categoryId: 1 }) { id } }',
      'createPet',
      'input.name: must not be blank',
    ],
  ])('%s', async (query, path, message) => {
    expect(await ask(query)).toMatchObject({
      message,
      path: [path],
      extensions: { code: 'invalid_request', status: 400, details: { fields: [expect.anything()] } },
    });
  });

  test.each([
    [
      'mutation { createPet(input: { name: " ", categoryId: 1 }) { id } }',
      '{}',
      [{ field: 'input.name', message: 'must not be blank' }],
    ],
    [
      'mutation ($pet: NewPet!) { p: createPet(input: $pet) { id } }',
      '{"pet":{"name":"","categoryId":1}}',
      [{ field: 'input.name', message: 'must not be blank' }],
    ],
    [
      'mutation { createProject(input: { name: "x", plan: enterprise, customQuota: { requestsPerMinute: 0, requestsPerDay: 1 } }) { project { id } } }',
      '{}',
      [expect.objectContaining({ field: 'input.customQuota.requestsPerMinute' })],
    ],
    [
      '{ apiKeys(filter: { nameContains: "\\u0000" }) { pageInfo { endCursor } } }',
      '{}',
      [expect.objectContaining({ field: 'filter.nameContains' })],
    ],
    ['{ pets(limit: 0) { id } }', '{}', [expect.objectContaining({ field: 'limit' })]],
  ])('a value that a rule forbids, by its path in the arguments: %s', async (query, variables, fields) => {
    const error = await ask(query, variables, 'admin');
    expect(error?.extensions).toMatchObject({ code: 'invalid_request', status: 400, details: { fields } });
    const [fault] = error?.extensions.details?.['fields'] as { field: string; message: string }[];
    expect(error?.message).toBe(`${fault?.field}: ${fault?.message}`);
  });

  test('a cursor of another list', async () => {
    const projects = askGraphQL<{ projects: { edges: { cursor: string }[] } }>(
      gateway,
      keys.admin,
      '{ projects(first: 1) { edges { cursor } } }',
    );
    const [edge] = (await dataOf(projects)).projects.edges;
    const query = `{ apiKeys(after: "${edge?.cursor}") { pageInfo { endCursor } } }`;
    expect(await ask(query, '{}', 'admin')).toMatchObject({
      message: 'after: must be a cursor from an earlier page of the same list',
      path: ['apiKeys'],
      extensions: { code: 'invalid_request', status: 400 },
    });
  });

  test.each([
    ['{ pet(id: 999999) { id } }', 'server', 'pet_not_found', 404, 'There is no pet with the id 999999.'],
    [
      'mutation { revokeApiKey(input: { id: "key_none" }) { apiKey { id } } }',
      'admin',
      'not_found',
      404,
      'There is no API key with the id key_none.',
    ],
    [
      '{ apiKeys { pageInfo { endCursor } } }',
      'server',
      'forbidden',
      403,
      'This needs a key with the role owner or admin. This key has the role server.',
    ],
    [
      '{ project(id: "proj_x") { id } }',
      'owner',
      'forbidden',
      403,
      'An owner key can use its own project only.',
    ],
  ] as const)('%s', async (query, key, code, status, message) => {
    expect(await ask(query, '{}', key)).toMatchObject({
      message,
      path: [/\w+(?=[ (]*[({])/.exec(query.replace(/^mutation/, ''))?.[0]],
      extensions: { code, status },
    });
  });
});

describe('a request that costs too much reports its cost and the maximum', () => {
  const fields = (count: number, of: string) =>
    `{ ${Array.from({ length: count }, (_, i) => `a${i}: ${of}`).join(' ')} }`;
  test.each([
    [
      'more than a window holds',
      fields(61, 'plans { id }'),
      'free',
      'This request costs 61, and the limit is 60 requests per minute. Split the request.',
    ],
    [
      'pages within pages',
      '{ projects(first: 100) { edges { node { apiKeys(first: 100) { edges { node { id } } } } } } }',
      'admin',
      'One root field requests up to 10100 nodes, and the limit is 2000. Request fewer or smaller pages within pages.',
    ],
    [
      'many fields of many pets',
      fields(130, 'pets(limit: 100) { id name categoryId status }'),
      'server',
      /^The response could have \d+ fields, and the limit of a request that costs 130 is 50000\. Request fewer fields or smaller pages, or send several requests\.$/,
    ],
  ] as const)('%s', async (_what, query, key, message) => {
    const error = await ask(query, '{}', key);
    expect(error).toMatchObject({ extensions: { code: 'query_too_costly', status: 400 } });
    expect(error?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});

import { getIntrospectionQuery, type IntrospectionObjectType, type IntrospectionQuery } from 'graphql';
import type { Deprecation } from '../../../src/http/versioning/operation.js';
import { OPERATIONS, type Operations } from '../../../src/http/versioning/operations.js';
import { askGraphQL, type GraphQLBody } from '../../interfaces/graphql/client.js';
import { expectError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import type { OpenApiDocument } from '../../support/openapi-document.js';
import { operationsTable } from './operations-table.js';

const SUNSET_MS = Date.parse('2031-02-03T00:00:00Z');
const DEPRECATION: Deprecation = {
  deprecatedMs: Date.parse('2029-01-01T00:00:00Z'),
  sunsetMs: SUNSET_MS,
  instead: 'Look out of the window.',
  successor: '/windows',
};
const EXPECTED_LINK =
  '</v1/windows>; rel="successor-version", </docs/versioning>; rel="deprecation"; type="text/html"';
const ENDING = { deprecation: DEPRECATION, since: '1.0.0' };

/** One entry each: an operation of REST, a root field, a field of a type. Nothing else is done about them. */
const OTHER_OPERATIONS: Operations = {
  rest: { ...OPERATIONS.rest, listPets: { ...OPERATIONS.rest.listPets, ...ENDING, stability: 'beta' } },
  graphql: {
    ...OPERATIONS.graphql,
    'Query.plans': { ...ENDING, stability: 'experimental' },
    'Plan.name': { ...ENDING, stability: 'stable' },
  },
};

const BEFORE_MS = Date.parse('2029-06-01T00:00:00Z');
let nowMs = BEFORE_MS;
const gateway = useGateway({ clock: () => nowMs, operations: OTHER_OPERATIONS });
let key: string;
beforeAll(async () => {
  key = (await gateway.keyOn('business')).secret;
  for (const name of ['Rex', 'Mia'])
    await gateway.services.pets.create({ name, categoryId: 7n, status: 'available' }, undefined);
});
afterEach(() => {
  nowMs = BEFORE_MS;
});

const list = (query = '') =>
  fetch(`${gateway.url}/v1/pets${query}`, { headers: { authorization: `Bearer ${key}` } });

const ask = <T = Record<string, unknown>>(query: string) => askGraphQL<T>(gateway, key, query);

test('each of its responses announces the removal, and keeps its other links', async () => {
  for (const [query, status] of [
    ['', 200],
    ['?limit=0', 400],
  ] as const) {
    const answer = await list(query);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      deprecation: '@1861920000',
      sunset: 'Mon, 03 Feb 2031 00:00:00 GMT',
      link: EXPECTED_LINK,
    });
  }
  const link = (await list('?limit=1')).headers.get('link') ?? '';
  expect(link.startsWith(`${EXPECTED_LINK}, </v1/pets?limit=1&after=`)).toBe(true);
  expect(link.endsWith('>; rel="next"')).toBe(true);
});

test('the OpenAPI document tells of it on every answer that the operation gives', async () => {
  const { paths, components } = (await (
    await fetch(`${gateway.url}/docs/openapi.json`)
  ).json()) as OpenApiDocument;
  const { responses = {}, ...operation } = paths['/pets']?.['get'] ?? {};
  expect(operation).toMatchObject({ deprecated: true, 'x-sunset': '2031-02-03', 'x-stability': 'beta' });
  expect(operation).toHaveProperty(
    'description',
    expect.stringMatching(
      /^\*\*Beta\.\*\*.*\n\n\*\*Deprecated: removed on 3 February 2031\.\*\* Look out of the window\. .*\n\nReturns a page of animals/s,
    ),
  );
  expect(responses['410']).toEqual({ $ref: '#/components/responses/OperationRemoved' });
  expect(components.responses).toHaveProperty('OperationRemoved');
  const announcing = Object.entries(responses).filter(
    ([, response]) => 'headers' in response && 'Deprecation' in (response.headers ?? {}),
  );
  expect(announcing.map(([status]) => status)).toEqual(['200', '304', '400', '403', '406', '500', '503']);
  // The other operations are as they were.
  expect(paths['/pets']?.['post']).not.toHaveProperty('deprecated');
  expect(paths['/pets/{petId}']?.['get']).toMatchObject({ 'x-sunset': '2030-12-05' });
});

test('introspection, and so the SDL, has the marker and the reason', async () => {
  const { data } = await ask<IntrospectionQuery>(getIntrospectionQuery());
  const types = data?.__schema.types ?? [];
  const field = (typeName: string, fieldName: string) =>
    (types.find(({ name }) => name === typeName) as IntrospectionObjectType).fields.find(
      ({ name }) => name === fieldName,
    );
  const announced = {
    isDeprecated: true,
    deprecationReason: expect.stringMatching(
      / is removed on 3 February 2031\. Look out of the window\.$/,
    ) as string,
  };
  expect(field('Query', 'plans')).toMatchObject({
    ...announced,
    description: expect.stringMatching(/\nStability: experimental\.$/) as string,
  });
  expect(field('Plan', 'name')).toMatchObject({
    ...announced,
    description: expect.not.stringContaining('Stability') as string,
  });
  expect(field('Query', 'pets')).toMatchObject({ isDeprecated: false });
});

test('an answer names the fields that it was asked for and that end, each once, and no others', async () => {
  const document =
    'query A { again: plans { ...of } plans { name } pets { id } } fragment of on Plan { name }';
  const answer = await ask(document);
  expect(answer.errors).toBeUndefined();
  const dates = { deprecatedAt: '2029-01-01T00:00:00.000Z', sunset: '2031-02-03T00:00:00.000Z' };
  expect(answer.extensions?.deprecations).toEqual([
    {
      field: 'Query.plans',
      reason: 'plans is removed on 3 February 2031. Look out of the window.',
      ...dates,
    },
    { field: 'Plan.name', reason: 'name is removed on 3 February 2031. Look out of the window.', ...dates },
  ]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    deprecation: '@1861920000',
    sunset: 'Mon, 03 Feb 2031 00:00:00 GMT',
    link: '</docs/versioning>; rel="deprecation"; type="text/html"',
  });
  const other = await ask('{ pets { id } }');
  expect(other.extensions).not.toHaveProperty('deprecations');
  expect(other.headers.has('deprecation')).toBe(false);
});

test('only the operation that runs is announced, with its fragments', async () => {
  const query = `query Old { ...O } query Deep { quota { plan { ...P } } } query New { pets { id } }
    fragment O on Query { plans { id } } fragment P on Plan { name }`;
  for (const [operationName, fields] of [
    ['Old', ['Query.plans']],
    ['Deep', ['Plan.name']],
    ['New', undefined],
  ] as const) {
    const answer = await gateway.request('/graphql', {
      method: 'POST',
      key,
      body: JSON.stringify({ query, operationName }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.headers.has('deprecation')).toBe(fields !== undefined);
    expect(answer.headers.has('sunset')).toBe(fields !== undefined);
    const { errors, extensions } = (await answer.json()) as GraphQLBody;
    expect(errors).toBeUndefined();
    expect(extensions?.deprecations?.map(({ field }) => field)).toEqual(fields);
  }
});

test('docs/versioning.md would list it', () => {
  const table = operationsTable(OTHER_OPERATIONS);
  expect(table).toContain('| `listPets` | beta | 1.0.0 | removed on 3 February 2031 |');
  expect(table).toContain('| `Query.plans` | experimental | 1.0.0 | removed on 3 February 2031 |');
});

test('from the sunset on it is gone, and nothing else', async () => {
  nowMs = SUNSET_MS - 1;
  expect((await list()).status).toBe(200);
  expect((await ask('{ plans { name } }')).errors).toBeUndefined();

  nowMs = SUNSET_MS;
  const gone = await list();
  expect(gone.headers.get('deprecation')).toBe('@1861920000');
  await expectError(gone, 410, 'operation_removed');
  const { data, errors } = await ask('{ plans { name } pets { id } }');
  expect(data).toBeNull();
  expect(errors).toMatchObject([
    {
      message: 'plans was removed on 3 February 2031. Look out of the window.',
      extensions: { code: 'operation_removed', status: 410 },
    },
  ]);
  const { data: others } = await ask('{ pets { id } quota { plan { id } } }');
  expect(others).toMatchObject({ pets: [{}, {}], quota: { plan: { id: 'business' } } });
  expect((await ask('{ quota { plan { name } } }')).errors).toMatchObject([
    { extensions: { code: 'operation_removed' } },
  ]);
});

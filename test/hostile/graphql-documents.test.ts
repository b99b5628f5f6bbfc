import { getIntrospectionQuery } from 'graphql';
import { askGraphQL } from '../interfaces/graphql/client.js';
import { useStarted } from '../support/gateway.js';
import { startVictim } from './victim.js';

/** Documents that cost more than they look like. More in graphql/cost and graphql/charges. */
const victim = useStarted(startVictim);
beforeAll(async () => {
  for (let i = 0; i < 20; i++)
    await victim.gateway.services.pets.create({ name: 'Rex', categoryId: 1n, status: 'sold' }, undefined);
});
afterEach(() => victim.expectAlive());

const ask = (query: string) => askGraphQL(victim.gateway, victim.secret, query);
const times = (n: number, text: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => text(i)).join(' ');

/** No timing is asserted: a document that is not bounded keeps the one process busy past the limit of any test. */
describe('is refused before it executes, in one piece', () => {
  const aliases = (n: number, name: string, field: string) => times(n, (i) => `${name}${i}: ${field}`);
  it.each([
    ['10,000 aliases', `{ ${aliases(10_000, 'a', '__typename')} }`, 'payload_too_large'],
    ['5,000 aliases', `{ ${aliases(5000, 'a', 'id')} }`, 'invalid_request'],
    ['60,000 tokens', `{${'{'.repeat(60_000)}`, 'invalid_request'],
    ['100,000 tokens', `{${'{'.repeat(100_000)}`, 'payload_too_large'],
    ['2,001 tokens', `{ ${'__typename '.repeat(1999)} }`, 'invalid_request'],
    ['5,000 nested braces', `{ ${'pets {'.repeat(5000)} id ${'}'.repeat(5000)} }`, 'invalid_request'],
    ['nested lists', `{ petsByIds(ids: ${'['.repeat(20_000)}) { id } }`, 'invalid_request'],
    [
      'nested inline fragments',
      `{ ${'... {'.repeat(5000)} __typename ${'}'.repeat(5000)} }`,
      'invalid_request',
    ],
    [
      'nested types',
      `query ($a: ${'['.repeat(5000)}Int${']'.repeat(5000)}) { __typename }`,
      'invalid_request',
    ],
    ['a fragment within itself', '{ ...A } fragment A on Query { ...A }', 'invalid_request'],
    [
      'a cycle of fragments',
      `{ ...F0 } ${times(100, (i) => `fragment F${i} on Query { ...F${(i + 1) % 100} }`)}`,
      'invalid_request',
    ],
    ['a directive 300 times', `{ __typename ${'@skip(if: false) '.repeat(300)} }`, 'invalid_request'],
    ['an unknown directive 900 times', `{ __typename ${'@a '.repeat(900)} }`, 'invalid_request'],
    [
      'conflicts of each with each',
      `{ ${times(200, (i) => `pets(limit: ${i}) { id }`)} }`,
      'invalid_request',
    ],
    [
      'unused fragments',
      `{ __typename } ${times(200, (i) => `fragment F${i} on Query { __typename }`)}`,
      'invalid_request',
    ],
    [
      'variables nobody uses',
      `query (${times(300, (i) => `$v${i}: Int`)}) { __typename }`,
      'invalid_request',
    ],
    ['an unknown field of 60 kB', `{ ${'x'.repeat(60_000)} }`, 'invalid_request'],
    ['a string of 60 kB that does not end', `{ pets(after: "${'x'.repeat(60_000)}`, 'invalid_request'],
    ['a block string of quotes', `{ pets(after: """${'"'.repeat(30_000)}) }`, 'invalid_request'],
    ['a NUL', '{ \0 }', 'invalid_request'],
    [
      'introspection 100 levels deep',
      `{ __schema { types { ${'fields { type {'.repeat(100)} name ${'} }'.repeat(100)} } } }`,
      'invalid_request',
    ],
    [
      'introspection in a circle through fragments',
      '{ __schema { types { ...A } } } fragment A on __Type { fields { type { fields { type { fields { name } } } } } }',
      'invalid_request',
    ],
    [
      'introspection under many names',
      `{ __schema { ...S } } fragment S on __Schema { ${aliases(60, 't', 'types { ...T }')} }
       fragment T on __Type { ${aliases(60, 'f', 'fields { ...F }')} }
       fragment F on __Field { ${aliases(60, 'y', 'type { name }')} }`,
      'query_too_costly',
    ],
    [
      'edges and nodes under many names',
      `{ petsConnection(first: 100) { ...C } } fragment C on PetConnection { ${aliases(60, 'e', 'edges { ...E }')} }
       fragment E on PetEdge { ${aliases(60, 'n', 'node { ...P }')} } fragment P on Pet { ${aliases(60, 'i', 'id')} }`,
      'query_too_costly',
    ],
    [
      'a size below zero beside one that is too large',
      `{ a: pets(limit: -2000000000) { id } petsConnection(first: 100) { ...C } }
       fragment C on PetConnection { ${aliases(60, 'e', 'edges { ...E }')} }
       fragment E on PetEdge { ${aliases(60, 'n', 'node { ...P }')} } fragment P on Pet { ${aliases(60, 'i', 'id')} }`,
      'query_too_costly',
    ],
  ])('%s', async (_, query, code) => {
    const { errors, data } = await ask(query);
    expect(errors?.[0]?.extensions.code).toBe(code);
    expect(data).toBeUndefined();
    expect(errors?.length).toBeLessThanOrEqual(11);
  });
});

describe('is bounded, and answered', () => {
  it('a bomb of fragments: each is expanded once', async () => {
    const fragments = times(40, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);
    const { data, extensions } = await ask(`{ ...F0 } ${fragments} fragment F40 on Query { pets { id } }`);
    expect(data).toHaveProperty('pets');
    expect(extensions?.cost.requested).toBe(1);
  });

  it('a field 900 times', async () => {
    const { data, errors } = await ask(`{ pets(limit: 1) { ${'id '.repeat(900)} } }`);
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ pets: [{ id: expect.any(String) as string }] });
  });

  it('the introspection query of the tools', async () => {
    const { data, errors } = await ask(
      getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }),
    );
    expect(errors).toBeUndefined();
    expect(data).toHaveProperty('__schema.types');
  });

  it('a hundred pages of a hundred pets', async () => {
    const query = `{ ${times(100, (i) => `a${i}: pets(limit: 100) { id name categoryId }`)} }`;
    const { data, extensions } = await ask(query);
    expect(Object.keys(data ?? {})).toHaveLength(100);
    expect(extensions?.cost.requested).toBe(100);
  });

  it('deep chains without a list', async () => {
    const { errors } = await ask(
      `{ __schema { types { ${'ofType {'.repeat(300)} name ${'}'.repeat(300)} } } }`,
    );
    expect(errors).toBeUndefined();
  });
});

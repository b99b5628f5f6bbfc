import { askGraphQL } from '../interfaces/graphql/client.js';
import { useStarted } from '../support/gateway.js';
import type { RawAnswer } from '../support/raw-http.js';
import { startVictim } from './victim.js';

/** What carries an operation: methods, media types, batches, variables. More in graphql/over-http. */
const victim = useStarted(startVictim);
afterEach(() => victim.expectAlive());

interface Said {
  http: number;
  code?: string | undefined;
}
const said = (answer: RawAnswer): Said => {
  const body = JSON.parse(answer.body) as { errors?: { extensions: { code: string } }[] };
  expect(answer.body).not.toMatch(/node_modules|\.ts:|\.js:|at .*\(/);
  return { http: answer.status, code: body.errors?.[0]?.extensions.code };
};
const post = async (body: string, type?: string) =>
  said(await victim.post(body, { path: '/graphql', ...(type !== undefined && { type }) }));
const CREATE = 'mutation { createPet(input: { name: "forged", categoryId: 1 }) { id } }';
const forged = async () =>
  (await victim.gateway.services.pets.list({ limit: 100 })).pets.filter(({ name }) => name === 'forged');

describe('what a page of somebody else can send without a preflight changes nothing', () => {
  afterEach(async () => expect(await forged()).toEqual([]));
  const json = JSON.stringify({ query: CREATE });

  it.each([
    ['text/plain', json],
    ['text/plain; application/json', json],
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(CREATE)}`],
    [
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${json}\r\n--b--`,
    ],
    ['application/graphql', CREATE],
    ['application/jsonp', json],
    ['application/json, text/plain', json],
  ])('%s: 415', async (type, body) => {
    expect(await post(body, type)).toEqual({ http: 415, code: 'unsupported_media_type' });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('a mutation by %s: 405', async (method) => {
    const target = `/graphql?query=${encodeURIComponent(CREATE)}`;
    expect((await victim.send(victim.head(`${method} ${target} HTTP/1.1`))).status).toBe(405);
  });

  it('a mutation beside a query by GET: 405 when it is the one that is named', async () => {
    const query = encodeURIComponent(`query Q { __typename } ${CREATE.replace('mutation', 'mutation M')}`);
    const ask = (name: string) =>
      victim.send(victim.head(`GET /graphql?query=${query}&operationName=${name} HTTP/1.1`));
    expect((await ask('M')).status).toBe(405);
    expect((await ask('Q')).status).toBe(200);
  });

  it('a cookie or Basic credentials are no key', async () => {
    const { url } = victim.gateway;
    for (const headers of [
      { cookie: `key=${victim.secret}` },
      { authorization: `Basic ${btoa(`:${victim.secret}`)}` },
    ]) {
      const init = {
        method: 'POST',
        body: json,
        headers: { 'content-type': 'application/json', ...headers },
      };
      expect((await fetch(`${url}/graphql`, init)).status).toBe(401);
    }
  });
});

describe('a request that is none: 400', () => {
  const one = { query: '{ __typename }' };
  it.each([
    ['a batch of 11', JSON.stringify(Array(11).fill(one))],
    ['a batch of 1,000', JSON.stringify(Array(1000).fill(one))],
    ['an empty batch', '[]'],
    ['a batch within a batch', JSON.stringify([[one]])],
    ['a batch of null', '[null]'],
    ['a batch with one bad entry', JSON.stringify([one, 5])],
    ['null', 'null'],
    ['a text', '"{ __typename }"'],
    ['the query twice', '{"query":"{ __typename }","query":"{ a }"}'],
    ['a query that is an object', '{"query":{"$gt":""}}'],
    ['no query but __proto__', '{"__proto__":{"query":"{ __typename }"}}'],
    ['variables that are an array', '{"query":"{ __typename }","variables":[]}'],
    ['extensions that are a text', '{"query":"{ __typename }","extensions":"x"}'],
    ['an operation name that is a list', '{"query":"{ __typename }","operationName":["A"]}'],
  ])('%s', async (_, body) => {
    expect(await post(body)).toEqual({ http: 400, code: 'invalid_request' });
  });

  it('a batch is charged as a whole: a batch that does not fit executes nothing', async () => {
    const { secret } = await victim.gateway.keyOn('enterprise', { requestsPerMinute: 5, requestsPerDay: 50 });
    const body = JSON.stringify(Array(6).fill({ query: CREATE }));
    const init = { method: 'POST', key: secret, body, headers: { 'content-type': 'application/json' } };
    expect((await victim.gateway.request('/graphql', init)).status).toBe(400);
    expect(await forged()).toEqual([]);
  });
});

describe('an ambiguous operation', () => {
  it.each([
    ['no name among two', '{"query":"query A { __typename } query B { __typename }"}'],
    ['an unknown name', '{"query":"query A { __typename }","operationName":"B"}'],
    ['__proto__ as the name', '{"query":"query A { __typename }","operationName":"__proto__"}'],
    ['a name of 60 kB', `{"query":"query A { __typename }","operationName":"${'x'.repeat(60_000)}"}`],
    ['two without a name', '{"query":"{ __typename } { __typename }"}'],
    ['two of one name', '{"query":"query A { __typename } query A { __typename }"}'],
    ['definitions of types', '{"query":"type Query { a: Int }"}'],
  ])('%s: invalid_request', async (_, body) => {
    expect(await post(body)).toEqual({ http: 200, code: 'invalid_request' });
  });

  it('a name of 60 kB that is the right one is answered', async () => {
    const name = 'x'.repeat(30_000);
    const body = JSON.stringify({ query: `query ${name} { __typename }`, operationName: name });
    expect(await post(body)).toEqual({ http: 200, code: undefined });
  });
});

describe('variables', () => {
  const ask = (query: string, variables: string) =>
    askGraphQL(victim.gateway, victim.secret, query, variables);
  const codes = async (query: string, variables: string) =>
    (await ask(query, variables)).errors?.map(({ extensions }) => extensions.code);

  it.each([
    ['an operator for an enum', 'query ($v: PetStatus) { pets(status: $v) { id } }', '{"v":{"$ne":"sold"}}'],
    [
      'a member of a prototype for an enum',
      'query ($v: PetStatus) { pets(status: $v) { id } }',
      '{"v":"constructor"}',
    ],
    ['an operator for a text', 'query ($v: String) { pets(after: $v) { id } }', '{"v":{"$gt":""}}'],
    ['an operator for an id', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":{"$gt":0}}'],
    ['a fraction for an id', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":1.5}'],
    ['an exponent for an id', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":1e400}'],
    ['2^63 for an id', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":9223372036854775808}'],
    ['2^63 in a text', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":"9223372036854775808"}'],
    ['60,000 digits', 'query ($v: Int64!) { pet(id: $v) { id } }', `{"v":1${'0'.repeat(60_000)}1}`],
    ['60,000 digits in a text', 'query ($v: Int64!) { pet(id: $v) { id } }', `{"v":"${'9'.repeat(60_000)}"}`],
    ['other digits', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":"１"}'],
    ['a hexadecimal text', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":"0x1"}'],
    ['a text with a space', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":" 1"}'],
    ['true', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":true}'],
    ['a list of one', 'query ($v: Int64!) { pet(id: $v) { id } }', '{"v":[1]}'],
    ['101 ids', 'query ($v: [Int64!]!) { petsByIds(ids: $v) { id } }', `{"v":[${'1,'.repeat(100)}1]}`],
    ['10,000 ids', 'query ($v: [Int64!]!) { petsByIds(ids: $v) { id } }', `{"v":[${'1,'.repeat(9999)}1]}`],
    ['a page of -1', 'query ($v: Int) { pets(limit: $v) { id } }', '{"v":-1}'],
    ['a page of 2^31', 'query ($v: Int) { pets(limit: $v) { id } }', '{"v":2147483648}'],
    [
      'a member too many',
      'mutation ($v: NewPet!) { createPet(input: $v) { id } }',
      '{"v":{"name":"a","categoryId":1,"id":5}}',
    ],
    [
      '__proto__ in an input',
      'mutation ($v: NewPet!) { createPet(input: $v) { id } }',
      '{"v":{"name":"a","categoryId":1,"__proto__":{"status":"sold"}}}',
    ],
    [
      'an input that is all __proto__',
      'mutation ($v: NewPet!) { createPet(input: $v) { id } }',
      '{"v":{"__proto__":{"name":"a","categoryId":1}}}',
    ],
    [
      'a lone surrogate',
      'mutation ($v: String!) { createPet(input: { name: $v, categoryId: 1 }) { id } }',
      '{"v":"\\ud800"}',
    ],
  ])('%s: invalid_request', async (_, query, variables) => {
    expect(await codes(query, variables)).toContain('invalid_request');
  });

  it('that the operation does not declare are ignored, whatever their names', async () => {
    const names = '{"__proto__":{"a":1},"constructor":{"prototype":{"polluted":1}},"toString":1}';
    const answer = await ask('{ __typename }', names);
    expect(answer.errors).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('may be called __proto__ or constructor, and are what was sent', async () => {
    const { data } = await ask(
      'query ($__proto__: Boolean = false, $constructor: Boolean = false) { a: __typename @skip(if: $__proto__) b: __typename @include(if: $constructor) }',
      '{"__proto__":true,"constructor":true}',
    );
    expect(Object.keys(data ?? {})).toEqual(['b']);
  });

  it('that are not given do not come from a prototype', async () => {
    const { data, extensions } = await ask(
      'query ($constructor: Boolean = false, $toString: Int = 1) { a: pets(limit: $toString) { id } b: __typename @include(if: $constructor) }',
      '{}',
    );
    expect(Object.keys(data ?? {})).toEqual(['a']);
    expect(extensions?.cost.requested).toBe(1);
  });
});

import { askGraphQL } from '../interfaces/graphql/client.js';
import { useStarted } from '../support/gateway.js';
import { slowness } from './bounds/reference-core.js';
import { startVictim } from './victim.js';

/**
 * Every pattern in src/ that reads what a client sends, against the input that is worst for a pattern that reads
 * anything twice: as long as the way in lets it be. A pattern that goes back at each character takes seconds to minutes
 * here. The bound is no measurement, it only tells these from milliseconds: processor time, on the reference core.
 */
const BOUND_MS = 3000;

const victim = useStarted(() => startVictim({ TRUST_PROXY: 'loopback' }));
beforeAll(async () => {
  await victim.expectAlive();
});

async function inTime(attack: () => Promise<unknown>): Promise<void> {
  const before = process.cpuUsage();
  await attack();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(BOUND_MS * slowness());
  await victim.expectAlive();
}

/** What Node reads of a head at most is 16 KiB. */
const N = 15_000;
const BODY = 64_000;

describe('in a header', () => {
  it.each([
    ['Authorization: scheme and spaces', `Authorization: Bearer${' '.repeat(N)}x y`],
    ['Authorization: a key and spaces', `Authorization: Bearer x${' '.repeat(N)}y`],
    ['Authorization: scheme without an end', `Authorization: ${'bearer'.repeat(N / 6)}`],
    ['X-Request-Id', `X-Request-Id: ${'a'.repeat(N)}!`],
    ['X-Forwarded-For: commas', `X-Forwarded-For: ${','.repeat(N)}`],
    ['X-Forwarded-For: spaces', `X-Forwarded-For: 1${' '.repeat(N)}1`],
    ['X-Forwarded-For: colons', `X-Forwarded-For: ${':'.repeat(N)}`],
    ['X-Forwarded-For: digits', `X-Forwarded-For: ${'1'.repeat(N)}.`],
    ['Idempotency-Key: quotes', `Idempotency-Key: ${'"'.repeat(N)}x`],
    ['Idempotency-Key: visible', `Idempotency-Key: ${'x'.repeat(N)}`],
    ['If-None-Match: quotes', `If-None-Match: ${'"'.repeat(N)}"`],
    ['If-None-Match: commas', `If-None-Match: ${', '.repeat(N / 2)}`],
    ['Accept: spaces', `Accept: a/b${' '.repeat(N)}x`],
    ['Accept: quotes', `Accept: ${'a/b;p=",'.repeat(N / 8)}`],
    ['Accept: many', `Accept: ${'a/b;q=0.1,'.repeat(N / 10)}`],
    ['Accept-Encoding: many', `Accept-Encoding: ${'x;q=0.1,'.repeat(N / 8)}`],
    ['Content-Type: spaces', `Content-Type: application/json${' '.repeat(N)};x`],
    ['Content-Type: escapes', `Content-Type: application/json;a="${'\\"'.repeat(N / 2)}`],
    ['Content-Type: parameters', `Content-Type: application/json${';a=b'.repeat(N / 4)}`],
    ['Content-Encoding', `Content-Encoding: ${'gzip, '.repeat(N / 6)}`],
    ['Origin', `Origin: http://${'a.'.repeat(N / 2)}`],
    ['Range', `Range: bytes=${'0-,'.repeat(N / 3)}`],
    ['Connection', `Connection: ${'x,'.repeat(N / 2)}`],
  ])('%s', (_, line) =>
    inTime(async () => {
      for (const target of [
        'GET /v1/pets',
        'POST /v1/pets',
        'GET /docs',
        'GET /graphql',
        'OPTIONS /v1/pets',
      ]) {
        const head = victim.head(
          `${target} HTTP/1.1`,
          line,
          ...(target.startsWith('POST') ? ['Content-Length: 0'] : []),
        );
        // The header that is under attack takes the place of the good one.
        const request = line.startsWith('Authorization')
          ? head.replace(/Authorization: Bearer pets.*\r\n/, '')
          : head;
        const answer = await victim.send(request);
        expect(answer.status).toBeLessThan(500);
      }
    }),
  );
});

describe('in a target', () => {
  it.each([
    ['a scheme without an end', `${'a'.repeat(N)}/`],
    ['a scheme of all that a scheme may have', `http${'+.-'.repeat(N / 3)}://x`],
    ['an authority', `http://${'a'.repeat(N)}`],
    ['slashes', '/'.repeat(N)],
    ['fragments', `/v1/pets${'#'.repeat(N / 3)}`],
    ['segments of a pet', `/v1/pets/${'a'.repeat(N)}/`],
    ['digits', `/v1/pets/${'1'.repeat(N)}`],
    ['percent signs', `/v1/pets/${'%'.repeat(N)}`],
    ['parameters', `/v1/pets?${'&'.repeat(N)}`],
    ['a limit', `/v1/pets?limit=${'1'.repeat(N)}`],
    ['a cursor', `/v1/pets?after=${'cGV0'.repeat(N / 4)}`],
    ['a query of GraphQL', `/graphql?query=${'%'.repeat(N)}`],
    ['variables of GraphQL', `/graphql?query={__typename}&variables=${'['.repeat(N)}`],
  ])('%s', (_, target) =>
    inTime(async () => {
      expect((await victim.send(victim.head(`GET ${target} HTTP/1.1`))).status).toBeLessThan(500);
    }),
  );
});

describe('in a body', () => {
  const name = (text: string) => `{"name":${JSON.stringify(text)},"categoryId":1}`;
  const category = (text: string) => `{"name":"x","categoryId":${text}}`;
  it.each([
    ['a name of blanks', name(' '.repeat(BODY))],
    ['a name of blanks with an end', name(`${' '.repeat(BODY)}x`)],
    ['a name of surrogate pairs', name('😀'.repeat(BODY / 4))],
    ['a number of zeros', category(`1${'0'.repeat(BODY)}1`)],
    ['a fraction of zeros', category(`1.${'0'.repeat(BODY)}1`)],
    ['a number that ends in a sign', category(`${'1'.repeat(BODY)}e-`)],
    ['a text that does not end', `{"name":"${'\\'.repeat(BODY)}`],
    ['escapes', `{"name":"${'\\u0041'.repeat(BODY / 6)}","categoryId":1}`],
    ['members', `{${Array.from({ length: 7000 }, (_, i) => `"${i}":1`).join(',')}}`],
    ['white space', `${' '.repeat(BODY)}x`],
    ['comments', '/*'.repeat(BODY / 2)],
    ['commas', `[${','.repeat(BODY)}]`],
  ])('%s', (_, body) => inTime(async () => expect((await victim.post(body)).status).toBe(400)));
});

describe('in a document or its variables', () => {
  const far = (text: string) => text.repeat(Math.floor(60_000 / text.length));
  it.each([
    ['an id of zeros', `{ pet(id: 1${far('0')}1) { id } }`, {}],
    ['an id in a text', 'query ($v: Int64!) { pet(id: $v) { id } }', { v: far('9') }],
    ['a cursor', 'query ($v: String) { pets(after: $v) { id } }', { v: far('cGV0') }],
    ['white space', `${far(' ')}!`, {}],
    ['comments', `${far('#').replaceAll('##', '#,')}{`, {}],
    ['a block text of line breaks', `{ pets(after: """${far(' ')}""") { id } }`, {}],
    ['a name', `{ ${far('_a')} }`, {}],
    ['a type', `{ __type(name: "${far('a')}") { name } }`, {}],
    ['an enum', `{ pets(status: ${far('a')}) { id } }`, {}],
  ])('%s', (_, query, variables) =>
    inTime(async () => {
      const { http, errors = [] } = await askGraphQL(victim.gateway, victim.secret, query, variables);
      expect(http).toBeLessThan(500);
      for (const { extensions } of errors) expect(extensions.code).toBe('invalid_request');
    }),
  );

  it.each([
    ['a point in time', 'expiresAt', `2030-01-01T00:00:00.${'0'.repeat(BODY / 2)}`],
    ['a name of blanks', 'name', ' '.repeat(BODY / 2)],
    ['a long name', 'name', `${' '.repeat(BODY / 2)}${'x'.repeat(200)}`],
  ])('of an admin: %s', async (_, field, value) => {
    const admin = await victim.gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
    const { id: projectId } = await victim.gateway.services.projects.create({ name: 'x', plan: 'free' });
    await inTime(async () => {
      const input = { projectId, name: 'x', [field]: value };
      const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
      const { errors = [] } = await askGraphQL(victim.gateway, admin.secret, query, { input });
      expect(errors.map(({ extensions }) => extensions.code)).toContain('invalid_request');
    });
  });

  it('of an admin: part of a name with all that a pattern has', async () => {
    const admin = await victim.gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
    for (const part of ['(a+)+$'.repeat(16), '.*'.repeat(50), '\\', '[', '(?i)', '^', '$where'])
      await inTime(async () => {
        const query =
          'query ($v: String) { apiKeys(filter: { nameContains: $v }) { edges { node { id } } } }';
        const { errors, data } = await askGraphQL(victim.gateway, admin.secret, query, { v: part });
        expect(errors).toBeUndefined();
        expect(data).toEqual({ apiKeys: { edges: [] } });
      });
  });
});

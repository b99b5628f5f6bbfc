import { expectDocumented, isDescribed } from '../support/expect-documented.js';

const HEADERS = {
  'X-Request-Id': 'a',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': '1795262412',
  'RateLimit-Policy': '"minute";q=60;w=60',
  RateLimit: '"minute";r=59;t=60',
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization',
  'Content-Type': 'application/json',
};
const ERROR = '{"code":"pet_not_found","message":"none","status":404}';
const PET = '{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}';

interface Made {
  method?: string;
  path?: string;
  status?: number;
  body?: string | null;
  headers?: Record<string, string | undefined>;
}

/** An answer that is right in every way but what is given. */
function check({ method = 'GET', path = '/v1/pets/1', status = 200, body = PET, headers = {} }: Made = {}) {
  const all = Object.entries<string | undefined>({ ...HEADERS, ETag: '"a"', ...headers });
  const given = all.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return expectDocumented(method, path, new Response(body, { status, headers: given }));
}

it.each<[string, Made]>([
  ['a pet with int64 extremes', {}],
  ['HEAD', { method: 'HEAD', body: null }],
  ['304', { status: 304, body: null, headers: { 'Content-Type': undefined } }],
  ['a list', { path: '/v1/pets?limit=1', body: `[${PET}]` }],
  ['an error', { status: 404, body: ERROR, headers: { ETag: undefined } }],
  ['members that are not documented yet', { body: PET.replace('}', ',"colour":"red"}') }],
  [
    '404 for a path that is no operation',
    { path: '/v1/x/y/z', status: 404, body: ERROR, headers: { ETag: undefined } },
  ],
])('passes: %s', async (_, made) => {
  await expect(check(made)).resolves.toBeUndefined();
});

it.each<[string, RegExp, Made]>([
  ['an undocumented status', /the status is not one of/, { status: 418 }],
  ['an integer past int64', /id must be integer/, { body: PET.replace('775807', '775808') }],
  ['an integer as text', /id must be integer/, { body: PET.replace('9223372036854775807', '"1"') }],
  ['a missing member', /must have required property 'name'/, { body: PET.replace('name', 'title') }],
  ['an unknown enum value', /status must be equal to one of/, { body: PET.replace('sold', 'lost') }],
  ['another media type', /Content-Type text\/html/, { headers: { 'Content-Type': 'text/html' } }],
  ['a missing header', /header ratelimit is missing/, { headers: { RateLimit: undefined } }],
  ['a malformed header', /x-ratelimit-limit: -1/, { headers: { 'X-RateLimit-Limit': '-1' } }],
  ['a header that is not documented', /header x-new is not documented/, { headers: { 'X-New': '1' } }],
  ['a body on HEAD', /there is a body/, { method: 'HEAD' }],
  ['an error of another status', /no code of this status/, { status: 410, body: ERROR }],
  [
    'an unknown error code',
    /dog_not_found is no code of this status/,
    { status: 404, body: ERROR.replace('pet_', 'dog_') },
  ],
  ['success where there is no operation', /only an operation can succeed/, { method: 'PUT' }],
  ['405 without Allow', /header allow is missing/, { method: 'PUT', status: 405, body: ERROR }],
])('fails: %s', async (_, message, made) => {
  await expect(check(made)).rejects.toThrow(message);
});

it.each([
  ['/v1', true],
  ['/v1?x', true],
  ['/v1/pets', true],
  ['/v10', false],
  ['/V1/pets', false],
  ['/graphql', false],
])('%s is below /v1: %p', (path, expected) => expect(isDescribed(path)).toBe(expected));

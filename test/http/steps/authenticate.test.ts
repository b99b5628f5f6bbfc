import type { OutgoingHttpHeaders } from 'node:http';
import express, { type Request } from 'express';
import { CONFIGURED_ADMIN_KEY_ID, createAuthenticator } from '../../../src/features/keys/authenticator.js';
import type { Caller } from '../../../src/features/keys/caller.js';
import { createKeyCache } from '../../../src/features/keys/key-cache.js';
import { createSecret } from '../../../src/features/keys/secret.js';
import { createClientLimiter, type ClientLimiter } from '../../../src/features/limiter/client-limiter.js';
import { authenticate } from '../../../src/http/steps/authenticate.js';
import { callerOf, requestContextOf } from '../../../src/http/steps/request-context.js';
import { serviceUnavailable } from '../../../src/lib/errors.js';
import { serveSteps, type StepServer } from '../../support/step-server.js';

const NOON = Date.parse('2029-06-15T12:00:00.000Z');
const LIMIT = 3;
const INVALID = 'The API key is not valid: unknown, expired or revoked.';
const NO_API_KEY =
  'The API key is not valid: keys of this gateway start with pets_live_. Check that a variable or placeholder was replaced by the key, without quotation marks.';
const OTHER_ENVIRONMENT =
  'The API key is not valid: it starts with pets_test_, and keys of this gateway start with pets_live_. Use a key that this gateway created.';
const MISTYPED =
  'The API key is not valid: it is mistyped or incomplete, because its checksum does not match. Copy the whole key again.';
const UNREADABLE = 'The Authorization header must be the word Bearer, a space and one API key.';
const NO_KEY = 'An API key is required. Send the header Authorization: Bearer <API_KEY>.';

let server: StepServer;
let anonymous: ClientLimiter;
let bySession: ((req: Request) => Promise<Caller | undefined>) | undefined;
const secret = 'configured-admin-key';
const keyId = CONFIGURED_ADMIN_KEY_ID;
const unguessable = createSecret('production');
/** Of a gateway without stored keys. */
const authenticatorOf = (adminSecret: string) =>
  createAuthenticator(
    { findBySecretHash: () => Promise.resolve(undefined) },
    createKeyCache({ max: 100, ttlMs: 1000 }),
    { environment: 'production', adminRequestsPerMinute: 60, adminSecret },
    () => NOON,
  );
const authenticators = { chosen: authenticatorOf(secret), unguessable: authenticatorOf(unguessable) };
const used: [string, number][] = [];

beforeAll(async () => {
  const app = express()
    .use((_req, res, next) => {
      Object.assign(requestContextOf(res), { client: '192.0.2.1' });
      next();
    })
    .use((req, res, next) => {
      const recorder = { noteUse: (...use: [string, number]) => void used.push(use) };
      const authenticator =
        req.headers['x-configured'] === 'unguessable' ? authenticators.unguessable : authenticators.chosen;
      const parts = { anonymous, authenticator, recorder, clock: () => NOON };
      return authenticate(parts, bySession)(req, res, next);
    })
    .use((_req, res) => {
      res.json({ id: callerOf(res).key.id, isBySession: requestContextOf(res).isBySession });
    });
  server = await serveSteps(app);
});
afterAll(() => server.close());
beforeEach(() => {
  anonymous = createClientLimiter(LIMIT, () => NOON);
  bySession = undefined;
  used.length = 0;
});

const ask = (headers: OutgoingHttpHeaders = {}, path = '/v1/pets') => server.ask(path, headers);

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme in any case: %s', async (scheme) => {
  const { status, body, headers } = await ask({ authorization: `${scheme}  ${secret} ` });
  expect([status, body]).toEqual([200, { id: keyId }]);
  expect(headers).not.toHaveProperty('x-ratelimit-limit');
  expect(used).toEqual([[keyId, NOON]]);
  expect(anonymous.peek('192.0.2.1').remaining).toBe(LIMIT);
});

describe('beyond the limit of its address', () => {
  const beyond = async () => {
    for (let i = 0; i < LIMIT; i++) await ask({ authorization: `Bearer guess-${i}` });
  };

  test('a guess at ADMIN_API_KEY is not compared: the right value gets the same 429 as a wrong one', async () => {
    await beyond();
    for (const guess of ['wrong', secret])
      expect(await ask({ authorization: `Bearer ${guess}` })).toMatchObject({
        status: 429,
        body: { code: 'rate_limit_exceeded' },
      });
  });

  test('an ADMIN_API_KEY in the form of the keys, which nobody can guess, works', async () => {
    await beyond();
    const { status } = await ask({ authorization: `Bearer ${unguessable}`, 'x-configured': 'unguessable' });
    expect(status).toBe(200);
  });
});

describe('401 missing_api_key says what was sent in place of a bearer token, and repeats no secret', () => {
  const inScheme = (scheme: string): OutgoingHttpHeaders => ({ authorization: `${scheme} secret` });
  const ofScheme = (scheme: string) => ` Received ${scheme} in the Authorization header.`;
  const ofHeader = (name: string) => ` Received the header ${name}, which the gateway does not read.`;
  test.each<[string, OutgoingHttpHeaders, string]>([
    ['nothing', {}, ''],
    ['the scheme Basic', inScheme('bAsIc'), ofScheme('the scheme Basic')],
    ['the scheme ApiKey', inScheme('ApiKey'), ofScheme('the scheme ApiKey')],
    ['the scheme Basic with the word bearer', inScheme('Basic bearer'), ofScheme('the scheme Basic')],
    ['an unknown scheme', inScheme('Sesame'), ofScheme('another scheme')],
    ['a scheme that begins as Basic does', inScheme('Basics'), ofScheme('another scheme')],
    ['a scheme that begins as Bearer does', inScheme('Bearers'), ofScheme('another scheme')],
    [
      'no scheme',
      { authorization: 'secret' },
      ' Received an Authorization header without a scheme: put the word Bearer and a space before the key.',
    ],
    ['the header X-API-Key', { 'x-api-key': 'secret' }, ofHeader('X-API-Key')],
    ['the header X-Auth-Token', { 'X-Auth-Token': 'secret' }, ofHeader('X-Auth-Token')],
    ['another header', { 'x-other': 'secret' }, ''],
  ])('%s', async (_what, headers, received) => {
    const answer = await ask(headers);
    expect([answer.status, answer.body]).toEqual([
      401,
      { code: 'missing_api_key', message: NO_KEY + received },
    ]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(used).toEqual([]);
  });

  test.each([
    ['access_token', true],
    ['api_key', true],
    ['other', false],
  ])('the query parameter %s', async (name, isNamed) => {
    const { body } = await ask({}, `/v1/pets?limit=1&${name}=secret`);
    const received = ` Received the query parameter ${name}: the gateway reads no key there, because URLs end up in logs.`;
    expect(body['message']).toBe(NO_KEY + (isNamed ? received : ''));
  });
});

test.each([
  ['no key after the scheme', 'Bearer', UNREADABLE],
  ['two keys', 'Bearer a b', UNREADABLE],
  ['an unknown key', `Bearer ${createSecret('production')}`, INVALID],
  ['a very long key', `Bearer ${'x'.repeat(5000)}`, NO_API_KEY],
  ['a variable that was not replaced', 'Bearer $API_KEY', NO_API_KEY],
  ['a placeholder', 'Bearer <API_KEY>', NO_API_KEY],
  ['a key in quotation marks', `Bearer "${createSecret('production')}"`, NO_API_KEY],
  ['a key of staging', `Bearer ${createSecret('staging')}`, OTHER_ENVIRONMENT],
  ['a key that was cut short', `Bearer ${createSecret('production').slice(0, -1)}`, MISTYPED],
  ['a key with more at its end', `Bearer ${createSecret('production')}x`, MISTYPED],
  ['a mistyped key', `Bearer ${createSecret('production').slice(0, -1)}-`, MISTYPED],
])('401 invalid_api_key for %s', async (_what, authorization, message) => {
  const answer = await ask({ authorization });
  expect([answer.status, answer.body]).toEqual([401, { code: 'invalid_api_key', message }]);
  expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  expect(answer.headers['x-ratelimit-remaining']).toBe('2');
});

test('400 for two Authorization headers, which is no challenge but counts', async () => {
  const { status, headers, body } = await ask({ Authorization: [`Bearer ${secret}`, `Bearer ${secret}`] });
  expect([status, body]).toEqual([
    400,
    {
      code: 'invalid_request',
      message: 'The Authorization header was sent more than once. Send it once.',
    },
  ]);
  expect(headers).not.toHaveProperty('www-authenticate');
  expect(headers['x-ratelimit-remaining']).toBe('2');
});

test('429 once the limit of the client is used up, which is no challenge', async () => {
  for (const remaining of ['2', '1', '0']) {
    const { status, headers } = await ask();
    expect([status, headers['x-ratelimit-remaining']]).toEqual([401, remaining]);
  }
  const { status, headers, body } = await ask();
  expect([status, body]).toEqual([
    429,
    {
      code: 'rate_limit_exceeded',
      message: 'More than 3 requests a minute without a valid API key. Retry in 60 s.',
      details: {
        window: 'anonymous',
        limit: LIMIT,
        remaining: 0,
        cost: 1,
        resetAt: new Date(NOON + 60_000).toISOString(),
      },
    },
  ]);
  expect(headers).not.toHaveProperty('www-authenticate');
  expect(headers['ratelimit']).toBe('"anonymous";r=0;t=60');
});

describe('without an Authorization header', () => {
  test('a session is asked for, and said to be one', async () => {
    const caller = await authenticators.chosen.authenticate(secret);
    bySession = () => Promise.resolve(caller);
    expect((await ask()).body).toEqual({ id: keyId, isBySession: true });
    expect(used).toEqual([[keyId, NOON]]);
    // The key that is sent counts, not the session.
    expect((await ask({ authorization: `Bearer ${secret}` })).body).toEqual({ id: keyId });
  });

  test('and without a session: 401', async () => {
    bySession = () => Promise.resolve(undefined);
    expect((await ask()).body).toEqual({ code: 'missing_api_key', message: NO_KEY });
  });
});

test('503 while keys cannot be checked: not counted, and no challenge', async () => {
  bySession = () => Promise.reject(serviceUnavailable('The gateway cannot check it.', undefined));
  const { status, headers } = await ask();
  expect(status).toBe(503);
  expect(headers).not.toHaveProperty('www-authenticate');
  expect(headers).not.toHaveProperty('x-ratelimit-limit');
  expect(anonymous.peek('192.0.2.1').remaining).toBe(LIMIT);
});

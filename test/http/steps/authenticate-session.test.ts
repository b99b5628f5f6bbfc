import type { OutgoingHttpHeaders } from 'node:http';
import express from 'express';
import { createCaller } from '../../../src/features/keys/caller.js';
import { endOfNew } from '../../../src/features/keys/sessions/session.js';
import { createToken, csrfTokenOf, hashToken } from '../../../src/features/keys/sessions/session-token.js';
import { callerBySession } from '../../../src/http/steps/authenticate-session.js';
import {
  requireDashboardAddress,
  requireOrigin,
  requireOriginOfRead,
} from '../../../src/http/steps/dashboard-address.js';
import { clearSessionCookie, setSessionCookie } from '../../../src/http/steps/session-cookie.js';
import { adminKey } from '../../support/admin-key.js';
import { serveSteps, type StepServer } from '../../support/step-server.js';

const SECURE = 'https://admin.example';
const { key } = adminKey();
const keyId = key.id;
const token = createToken();
const session = {
  tokenHash: hashToken(token),
  sealedSecretHash: '',
  keyId,
  createdAt: new Date(),
  ...endOfNew(Date.now()),
};

let server: StepServer;
let publicUrl: string | undefined;

beforeAll(async () => {
  const sessions = {
    find: (given: string) => {
      expect(given).toBe(token);
      return Promise.resolve({ session, caller: createCaller(key, undefined, 60, 'hash') });
    },
  };
  const app = express()
    .get('/address', (req, res) => {
      res.json(requireDashboardAddress(req, publicUrl));
    })
    .get('/change', (req, res) => {
      requireOrigin(req, requireDashboardAddress(req, publicUrl));
      res.json({});
    })
    .get('/read', (req, res) => {
      requireOriginOfRead(req, requireDashboardAddress(req, publicUrl));
      res.json({});
    })
    .get('/set', (req, res) => {
      setSessionCookie(res, requireDashboardAddress(req, publicUrl), token);
      res.json({});
    })
    .get('/clear', (req, res) => {
      clearSessionCookie(res, requireDashboardAddress(req, publicUrl));
      res.json({});
    })
    .use(async (req, res) => {
      const caller = await callerBySession({ sessions, config: { publicUrl } })(req);
      res.json({ keyId: caller?.key.id ?? null });
    });
  server = await serveSteps(app);
});
afterAll(() => server.close());
beforeEach(() => {
  publicUrl = undefined;
});

const ask = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') =>
  server.ask(path, { host: 'localhost:3000', ...headers }, method);
const forbidden = (message: string) => ({ status: 403, body: { code: 'forbidden', message } });

describe('the address of the dashboard', () => {
  const NEEDS_HTTPS =
    "The dashboard needs HTTPS here: set PUBLIC_URL to the gateway's https:// address. Without PUBLIC_URL it works on the gateway's own machine alone, at http://localhost or http://127.0.0.1.";

  test.each(['admin.example', 'localhost'])('is PUBLIC_URL behind HTTPS, asked at %s', async (host) => {
    publicUrl = SECURE;
    expect((await ask('/address', { host })).body).toEqual({ origin: SECURE, isSecure: true });
  });

  test.each([
    [undefined, 'localhost:3000', 'http://localhost:3000'],
    [undefined, 'LocalHost', 'http://localhost'],
    [undefined, '127.8.7.6:80', 'http://127.8.7.6:80'],
    [undefined, '[::1]:3000', 'http://[::1]:3000'],
    ['http://localhost:3000', '127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'localhost:3000', 'http://localhost:3000'],
  ])('is what the request names on this machine: PUBLIC_URL %s, asked at %s', async (url, host, origin) => {
    publicUrl = url;
    expect((await ask('/address', { host })).body).toEqual({ origin, isSecure: false });
  });

  test.each([
    [undefined, 'shop.example'],
    [undefined, '127.0.0.1.evil.example'],
    [undefined, 'localhost.evil.example'],
    ['http://localhost:3000', 'shop.example'],
    ['http://gateway.example', 'gateway.example'],
    ['http://gateway.example', 'localhost:3000'],
  ])('is none without HTTPS on a network: PUBLIC_URL %s, asked at %s', async (url, host) => {
    publicUrl = url;
    expect(await ask('/address', { host })).toMatchObject(forbidden(NEEDS_HTTPS));
  });
});

describe('the Origin', () => {
  const OWN = 'http://localhost:3000';
  const ONLY = `Only pages of ${OWN} may ask this: open the dashboard there.`;

  test('of a change is that of the dashboard, once', async () => {
    expect((await ask('/change', { origin: OWN })).status).toBe(200);
    expect(await ask('/change')).toMatchObject(
      forbidden(`The Origin header is missing: here it has to be ${OWN}.`),
    );
    for (const origin of ['null', `${OWN}0`, [OWN, OWN]])
      expect(await ask('/change', { Origin: origin })).toMatchObject(forbidden(ONLY));
  });

  test('of a read may be missing, if no other site asks', async () => {
    for (const headers of [{}, { origin: OWN }, { 'sec-fetch-site': 'same-origin' }])
      expect((await ask('/read', headers)).status).toBe(200);
    for (const headers of [
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      expect(await ask('/read', headers)).toMatchObject(forbidden(ONLY));
  });
});

test('the cookie is for scripts of nobody, and behind HTTPS for this host only', async () => {
  const plain = 'Path=/; Max-Age=43200; HttpOnly; SameSite=Strict';
  expect((await ask('/set')).headers['set-cookie']).toEqual([`pets-session=${token}; ${plain}`]);
  expect((await ask('/clear')).headers['set-cookie']).toEqual([
    'pets-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  ]);
  publicUrl = SECURE;
  expect((await ask('/set')).headers['set-cookie']).toEqual([
    `__Host-pets-session=${token}; ${plain}; Secure`,
  ]);
});

describe('who is signed in', () => {
  const GRAPHQL = ['POST', '/graphql'] as const;
  const ORIGIN = 'http://localhost:3000';
  const signedIn = (more: OutgoingHttpHeaders = {}, name = 'pets-session') => ({
    cookie: `theme=dark; ${name}=${token}`,
    origin: ORIGIN,
    'x-csrf-token': csrfTokenOf(token),
    ...more,
  });
  const who = ([method, path]: readonly [string, string], headers: OutgoingHttpHeaders) =>
    ask(path, headers, method);
  const without = (name: string) =>
    Object.fromEntries(Object.entries(signedIn()).filter(([other]) => other !== name));

  test.each([GRAPHQL, ['POST', '/graphql?x=1'], ['PUT', '/deploys/deploy_1/archive']] as const)(
    'may ask with the cookie: %s %s',
    async (...operation) => {
      expect((await who(operation, signedIn())).body).toEqual({ keyId });
    },
  );

  test('and behind HTTPS with its cookie, and no other', async () => {
    publicUrl = SECURE;
    const origin = SECURE;
    expect((await who(GRAPHQL, signedIn({ origin }, '__Host-pets-session'))).body).toEqual({ keyId });
    expect((await who(GRAPHQL, signedIn({ origin }))).body).toEqual({ keyId: null });
  });

  test.each([
    ['GET', '/graphql'],
    ['PUT', '/graphql'],
    ['POST', '/v1/pets'],
    ['PUT', '/v1/pets'],
    ['POST', '/deploys/deploy_1/archive'],
    ['PUT', '/deploys/deploy_1'],
  ] as const)('needs a key for %s %s', async (...operation) => {
    expect((await who(operation, signedIn())).body).toEqual({ keyId: null });
  });

  test.each([
    ['no cookie', () => without('cookie')],
    ['another cookie', () => signedIn({ cookie: 'theme=dark; pets-session-of=x; xpets-session=y' })],
    ['a host that is not the dashboard’s', () => signedIn({ host: 'shop.example' })],
  ])('is nobody with %s', async (_what, headers) => {
    expect((await who(GRAPHQL, headers())).body).toEqual({ keyId: null });
  });

  test('has to send the token of its own session', async () => {
    expect(await who(GRAPHQL, without('x-csrf-token'))).toMatchObject(
      forbidden('The X-CSRF-Token header is missing. GET /dashboard/session returns its value.'),
    );
    const csrf = csrfTokenOf(token);
    for (const given of [csrf.toUpperCase(), `${csrf}x`, [csrf, csrf]]) {
      const answer = await who(GRAPHQL, signedIn({ 'x-csrf-token': given }));
      expect([answer.status, answer.body]).toEqual([
        403,
        {
          code: 'forbidden',
          message: "X-CSRF-Token is not this session's. GET /dashboard/session returns the right value.",
          details: { header: 'X-CSRF-Token' },
        },
      ]);
    }
  });

  test('asks from the dashboard’s own pages', async () => {
    for (const headers of [without('origin'), signedIn({ origin: 'https://evil.example' })])
      expect((await who(GRAPHQL, headers)).body).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(ORIGIN) as string,
      });
  });

  test('sends the cookie once', async () => {
    const cookie = `pets-session=${token}; pets-session=${token}`;
    expect(await who(GRAPHQL, signedIn({ cookie }))).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        message:
          'The session cookie was sent more than once: clear the cookies of this site and sign in again.',
      },
    });
  });
});

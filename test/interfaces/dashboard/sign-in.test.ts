import { askGraphQL, dataOf } from '../graphql/client.js';
import { freezeDate, moveDateBy, releaseDate } from '../../support/fake-date.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { startWire } from '../../support/wire.js';
import {
  dashboardClient,
  messageOf,
  refusalOf,
  setCookieOf,
  type DashboardSession,
  type SessionBody,
} from './client.js';

/** POST, GET and DELETE /dashboard/session: who gets in, who does not, and what the answers say to a browser. */
const ADMIN_API_KEY = 'configured-admin-key-of-this-test';
const SECURE = 'https://admin.example';

const gateway = useGateway({ env: { ADMIN_API_KEY } });
/** The same behind HTTPS, with a proxy in front that tells who asks. */
const secure = useGateway({ env: { ADMIN_API_KEY, PUBLIC_URL: SECURE, TRUST_PROXY: 'loopback' } });
let client: ReturnType<typeof dashboardClient>;
beforeAll(() => {
  client = dashboardClient(gateway);
});
afterEach(releaseDate);

const ownerKey = () => gateway.keyOn('pro', undefined, { name: 'Owner', role: 'owner' });
/** Failed attempts count for a minute: each test is another client. */
let lastClient = 0;
const clientOf = (origin = SECURE) => {
  const from = { 'x-forwarded-for': `198.51.100.${++lastClient}` };
  const api = dashboardClient(secure, { host: 'admin.example', origin });
  return {
    ...api,
    signIn: (apiKey: string, headers = {}) => api.signIn(apiKey, { ...from, ...headers }),
    from,
  };
};

describe('signing in', () => {
  test('an owner gets a session, which tells who it is until it is signed out', async () => {
    const { secret, apiKey } = await ownerKey();
    const answer = await client.signIn(secret);
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.text)).toEqual({
      role: 'owner',
      keyId: apiKey.id,
      keyName: 'Owner',
      projectId: apiKey.projectId,
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      csrfToken: expect.stringMatching(/^[\w-]{43}$/) as string,
      plansNote: null,
    });
    const cookie = setCookieOf(answer).split(';', 1)[0] ?? '';
    const who = await client.send('GET', '/dashboard/session', { cookie });
    expect([who.status, JSON.parse(who.text)]).toEqual([200, JSON.parse(answer.text)]);

    const { csrfToken } = JSON.parse(answer.text) as SessionBody;
    const left = await client.send('DELETE', '/dashboard/session', {
      cookie,
      origin: client.origin,
      'x-csrf-token': csrfToken,
    });
    expect([left.status, left.text]).toEqual([204, '']);
    expect(setCookieOf(left)).toBe('pets-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    expect(refusalOf(await client.send('GET', '/dashboard/session', { cookie }))).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  test('the configured admin key, and an admin key of the database, belong to no project', async () => {
    const { secret } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
    for (const key of [ADMIN_API_KEY, secret]) {
      const { text } = await (await client.enter(key)).who();
      expect(JSON.parse(text)).toMatchObject({ role: 'admin', projectId: null });
    }
  });

  test('each time the session is another one, and the one that the browser had ends', async () => {
    const { secret } = await ownerKey();
    const first = await client.enter(secret);
    const again = await client.signIn(secret, { cookie: first.cookie });
    const cookie = setCookieOf(again).split(';', 1)[0] ?? '';
    expect(cookie).not.toBe(first.cookie);
    expect((await first.who()).status).toBe(401);
    expect((await first.who({ cookie })).status).toBe(200);
  });

  test('a token of somebody else’s choosing is never taken over', async () => {
    const { secret } = await ownerKey();
    const chosen = `pets-session=${'A'.repeat(43)}`;
    const answer = await client.signIn(secret, { cookie: chosen });
    expect(answer.status).toBe(201);
    expect(setCookieOf(answer)).not.toContain(chosen);
    expect((await client.send('GET', '/dashboard/session', { cookie: chosen })).status).toBe(401);
  });

  test('signing in and out is in the audit log of the project', async () => {
    const { secret, apiKey } = await ownerKey();
    const session = await client.enter(secret);
    await session.leave();
    const { auditLog } = await dataOf(
      askGraphQL<{ auditLog: { edges: { node: Record<string, unknown> }[] } }>(
        gateway,
        secret,
        '{ auditLog { edges { node { action actorKeyId actorRole apiKeyId projectId changes { property } } } } }',
      ),
    );
    const [out, into] = auditLog.edges.map(({ node }) => node);
    const record = { actorKeyId: apiKey.id, actorRole: 'owner', apiKeyId: apiKey.id };
    const more = { projectId: apiKey.projectId, changes: [{ property: 'endsAt' }] };
    expect(into).toEqual({ action: 'session.signIn', ...record, ...more });
    expect(out).toEqual({ action: 'session.signOut', ...record, ...more });
  });
});

test('signing in again and again does not bury the audit log: an hour of it is one record with a count', async () => {
  // The middle of an hour: the test does not run into the next.
  freezeDate();
  moveDateBy(30 * 60_000);
  const { secret, apiKey } = await ownerKey();
  // All of them at once would wait for one record, on a busy machine for longer than a request may.
  const sessions: DashboardSession[] = [];
  while (sessions.length < 12)
    sessions.push(...(await Promise.all(Array.from({ length: 4 }, () => client.enter(secret)))));
  for (const session of sessions) expect((await session.leave()).status).toBe(204);
  const last = await client.enter(secret);
  const log = async () => {
    const { auditLog } = await dataOf(
      askGraphQL<{ auditLog: { edges: { node: { action: string; changes: unknown[] } }[] } }>(
        gateway,
        secret,
        `{ auditLog(actorKeyId: "${apiKey.id}") { edges { node { action changes { property after } } } } }`,
      ),
    );
    return auditLog.edges.map(({ node }) => node);
  };
  const counted = (repeats: number) =>
    expect.arrayContaining([
      { property: 'repeats', after: String(repeats) },
      { property: 'lastAt', after: new Date().toISOString() },
    ]) as unknown[];
  expect(await log()).toEqual([
    { action: 'session.signOut', changes: counted(11) },
    { action: 'session.signIn', changes: counted(12) },
  ]);
  moveDateBy(60 * 60_000);
  expect((await last.leave()).status).toBe(204);
  expect((await log()).map(({ action }) => action)).toEqual([
    'session.signOut',
    'session.signOut',
    'session.signIn',
  ]);
});

describe('who is not let in', () => {
  test('an unknown key, and a key of the other environment', async () => {
    const { secret } = await ownerKey();
    for (const key of ['nonsense', `pets_live_${'Z9'.repeat(19)}`, secret.replace('live', 'test'), ''])
      expect(refusalOf(await clientOf().signIn(key))).toEqual([401, 'invalid_api_key']);
  });

  test('a key that is revoked or expired', async () => {
    const revoked = await secure.keyOn('free', undefined, { role: 'owner' });
    await secure.services.apiKeys.revoke(revoked.apiKey.id);
    const expired = await secure.keyOn('free', undefined, {
      role: 'owner',
      expiresAt: new Date(Date.now() + 60_000),
    });
    freezeDate(Date.now() + 60_000);
    for (const { secret } of [revoked, expired])
      expect(refusalOf(await clientOf().signIn(secret))).toEqual([401, 'invalid_api_key']);
  });

  test.each([
    ['server', {}],
    ['browser', { allowedOrigins: ['https://shop.example'] }],
  ] as const)('a %s key: 403 says which roles may', async (role, more) => {
    const { secret } = await secure.keyOn('free', undefined, {
      role,
      ...('allowedOrigins' in more && { allowedOrigins: [...more.allowedOrigins] }),
    });
    const answer = await clientOf().signIn(secret);
    expect(refusalOf(answer)).toEqual([403, 'forbidden']);
    expect(messageOf(answer)).toBe(
      `Sign in with a key that has the role staff, owner or admin. This key has the role ${role}.`,
    );
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['no body', undefined, {}, 400, 'body: is required'],
    ['no JSON', '{', {}, 400, 'body:'],
    ['an array', '[]', {}, 400, 'body: must be a JSON object'],
    ['no key', '{}', {}, 400, 'apiKey: is required'],
    ['a number', '{"apiKey":5}', {}, 400, 'apiKey: must be a string'],
    ['more than a key', '{"apiKey":"x","remember":true}', {}, 400, 'remember: is not a known field'],
    ['the key twice', '{"apiKey":"x","apiKey":"y"}', {}, 400, 'apiKey'],
    ['a form', 'apiKey=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'application/json'],
    ['too much', JSON.stringify({ apiKey: 'x'.repeat(70_000) }), {}, 413, '64 KiB'],
  ])('%s', async (_what, body, headers, status, message) => {
    const { send, from } = clientOf();
    const json = { origin: SECURE, 'content-type': 'application/json', ...from, ...headers };
    const answer = await send('POST', '/dashboard/session', json, body);
    expect([answer.status, messageOf(answer)]).toEqual([status, expect.stringContaining(message)]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('attempts', () => {
  test('the eleventh failed one in a minute is 429, with a valid key too, and only for this client', async () => {
    freezeDate(Date.now());
    const { signIn, from } = clientOf();
    for (let left = 9; left >= 0; left--) {
      const answer = await signIn('wrong');
      expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([401, String(left)]);
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(answer.headers['ratelimit-policy']).toBe('"signin";q=10;w=60');
    }
    for (const key of ['wrong', ADMIN_API_KEY]) {
      const refused = await signIn(key);
      expect(refusalOf(refused)).toEqual([429, 'rate_limit_exceeded']);
      expect(refused.headers['retry-after']).toBe('60');
      expect(messageOf(refused)).toContain('not even a valid one');
    }
    expect((await clientOf().signIn(ADMIN_API_KEY)).status).toBe(201);
    // What is no attempt to sign in goes on: the session, and the API.
    expect((await secure.request('/v1/pets', { key: ADMIN_API_KEY, headers: from })).status).toBe(200);
    moveDateBy(60_000);
    expect((await signIn(ADMIN_API_KEY)).status).toBe(201);
  });

  test('those that succeed do not count', async () => {
    const { signIn } = clientOf();
    for (let i = 0; i < 15; i++) expect((await signIn(ADMIN_API_KEY)).status).toBe(201);
  });

  test('a page elsewhere cannot use them up for its visitor', async () => {
    const { signIn } = clientOf();
    for (let i = 0; i < 12; i++) await signIn('wrong', { origin: 'https://evil.example' });
    expect((await signIn(ADMIN_API_KEY)).status).toBe(201);
  });

  test('many at once are no more than ten', async () => {
    const { signIn } = clientOf();
    const answers = await Promise.all(Array.from({ length: 30 }, () => signIn('wrong')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });
});

describe('from where', () => {
  test('behind HTTPS the cookie is for this host, HTTPS and scripts of nobody', async () => {
    const answer = await clientOf().signIn(ADMIN_API_KEY);
    expect(setCookieOf(answer)).toMatch(
      /^__Host-pets-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test('on loopback it has to do without Secure, and so without the prefix', async () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.7.6', '[::1]']) {
      const local = dashboardClient(gateway, { host: `${host}:3000` });
      expect(setCookieOf(await local.signIn(ADMIN_API_KEY))).toMatch(
        /^pets-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      );
    }
  });

  test.each([
    'gateway.example',
    '192.168.1.7:3000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.localhost',
  ])('rejects plain HTTP at %s, and the page shows that before a key is typed', async (host) => {
    const away = dashboardClient(gateway, { host });
    for (const answer of [await away.signIn(ADMIN_API_KEY), await away.send('GET', '/dashboard/session')]) {
      expect(refusalOf(answer)).toEqual([403, 'forbidden']);
      expect(messageOf(answer)).toContain("set PUBLIC_URL to the gateway's https:// address");
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('with a PUBLIC_URL of plain HTTP nowhere, at loopback neither', async () => {
    const plain = await startGateway({
      env: { ADMIN_API_KEY, PUBLIC_URL: 'http://gateway.example' },
      beside: gateway,
    });
    try {
      for (const host of ['gateway.example', 'localhost:3000'])
        expect(refusalOf(await dashboardClient(plain, { host }).signIn(ADMIN_API_KEY))).toEqual([
          403,
          'forbidden',
        ]);
    } finally {
      await plain.close();
    }
  });

  test.each([
    ['none', undefined],
    ['null', 'null'],
    ['another host', 'https://evil.example'],
    ['the same without TLS', 'http://admin.example'],
    ['another port', 'https://admin.example:8443'],
    ['a host below', 'https://x.admin.example'],
    ['a path behind it', 'https://admin.example/'],
    ['two', 'https://admin.example, https://admin.example'],
  ])('with an Origin of %s: 403, and no cookie', async (_what, origin) => {
    const { send, from } = clientOf();
    const headers = { ...from, 'content-type': 'application/json', ...(origin !== undefined && { origin }) };
    const answer = await send(
      'POST',
      '/dashboard/session',
      headers,
      JSON.stringify({ apiKey: ADMIN_API_KEY }),
    );
    expect(refusalOf(answer)).toEqual([403, 'forbidden']);
    expect(messageOf(answer)).toContain(SECURE);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('on loopback another port is another origin', async () => {
    const other = dashboardClient(gateway, { origin: 'http://127.0.0.1:9' });
    expect(refusalOf(await other.signIn(ADMIN_API_KEY))).toEqual([403, 'forbidden']);
  });
});

describe('what the answers say to browsers', () => {
  test('nothing below /dashboard is for pages of other origins, not even its errors', async () => {
    const session = await client.enter(ADMIN_API_KEY);
    const answers = [
      await client.signIn(ADMIN_API_KEY),
      await session.who(),
      await client.send('GET', '/dashboard/session'),
      await client.send('PATCH', '/dashboard/session'),
      await client.signIn('x'.repeat(70_000)),
      await client.send('GET', '/dashboard/assets/none.js'),
      await client.send('OPTIONS', '/dashboard/session', {
        origin: 'https://evil.example',
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'x-csrf-token',
      }),
      await session.leave(),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 401, 405, 413, 404, 204, 204]);
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test.each(['cross-site', 'same-site', 'none'])(
    'does not reveal who is signed in to a request that is %s',
    async (site) => {
      const session = await client.enter(ADMIN_API_KEY);
      const answer = await session.who({ 'sec-fetch-site': site });
      expect(refusalOf(answer)).toEqual([403, 'forbidden']);
      expect(answer.text).not.toContain(session.csrfToken);
      expect((await session.who({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
      expect((await session.who({ origin: 'https://evil.example' })).status).toBe(403);
    },
  );

  test('HEAD is as GET, OPTIONS and others say what there is', async () => {
    const session = await client.enter(ADMIN_API_KEY);
    const head = await client.send('HEAD', '/dashboard/session', { cookie: session.cookie });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const method of ['OPTIONS', 'PUT', 'PATCH']) {
      const answer = await client.send(method, '/dashboard/session', session.headers);
      expect([answer.status, answer.headers.allow]).toEqual([
        method === 'OPTIONS' ? 204 : 405,
        'POST, GET, HEAD, DELETE, OPTIONS',
      ]);
    }
  });

  test('without a session: 401, counted as any client without a key', async () => {
    const answer = await client.send('GET', '/dashboard/session');
    expect(refusalOf(answer)).toEqual([401, 'missing_api_key']);
    expect(answer.headers['ratelimit-policy']).toBe('"anonymous";q=120;w=60');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('too many of these are 429, which is no challenge', async () => {
    const strict = await startGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '1' }, beside: gateway });
    try {
      const page = dashboardClient(strict);
      expect((await page.send('GET', '/dashboard/session')).status).toBe(401);
      const answer = await page.send('GET', '/dashboard/session');
      expect(refusalOf(answer)).toEqual([429, 'rate_limit_exceeded']);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]/);
      expect(answer.headers['www-authenticate']).toBeUndefined();
    } finally {
      await strict.close();
    }
  });
});

test('signing out needs what every change needs', async () => {
  const session = await client.enter(ADMIN_API_KEY);
  const other = await client.enter(ADMIN_API_KEY);
  const without = (name: string) =>
    Object.fromEntries(Object.entries(session.headers).filter(([n]) => n !== name));
  expect((await session.leave(without('origin'))).status).toBe(403);
  expect((await session.leave(without('x-csrf-token'))).status).toBe(403);
  expect((await session.leave({ ...session.headers, 'x-csrf-token': other.csrfToken })).status).toBe(403);
  expect((await session.leave({ ...session.headers, origin: 'null' })).status).toBe(403);
  expect((await session.leave(without('cookie'))).status).toBe(401);
  expect((await session.who()).status).toBe(200);
  expect((await session.leave()).status).toBe(204);
  expect((await session.leave()).status).toBe(401);
  expect((await other.who()).status).toBe(200);
});

test('while the database is silent, 503 and not 401', async () => {
  const direct = process.env['TEST_MONGODB_URI'] ?? '';
  const wire = await startWire(direct);
  process.env['TEST_MONGODB_URI'] = wire.uri;
  const silent = await startGateway({ env: { ADMIN_API_KEY } });
  process.env['TEST_MONGODB_URI'] = direct;
  try {
    const page = dashboardClient(silent);
    const session = await page.enter(ADMIN_API_KEY);
    wire.hold();
    const answers = await Promise.all([
      page.signIn(ADMIN_API_KEY),
      page.signIn(`pets_live_${'0'.repeat(32)}000000`),
      session.who(),
      session.graphql('{ __typename }'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 401, 503, 503]);
    for (const { status, headers } of answers)
      if (status === 503) expect(headers['retry-after']).toMatch(/^[1-9]/);
    wire.release();
    await until('the session to be found again', async () => (await session.who()).status === 200);
  } finally {
    wire.release();
    await silent.close();
    wire.close();
  }
});

test('the session has the note about plans of PLANS_NOTE', async () => {
  const plansNote = 'Pro costs 9 EUR a month: plans@shelter.example.';
  const noted = await startGateway({ env: { PLANS_NOTE: plansNote } });
  try {
    const { secret } = await noted.keyOn('pro', undefined, { role: 'owner' });
    const answer = await dashboardClient(noted, { host: 'localhost' }).signIn(secret);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([201, expect.objectContaining({ plansNote })]);
  } finally {
    await noted.close();
  }
});

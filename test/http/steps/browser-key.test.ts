import express from 'express';
import type { ApiKeyRole } from '../../../src/features/keys/api-key.js';
import { createCaller } from '../../../src/features/keys/caller.js';
import { createClientLimiter, type ClientLimiter } from '../../../src/features/limiter/client-limiter.js';
import {
  clientOfBrowserKey,
  requireOwnPage,
  shareOf,
  takeShare,
} from '../../../src/http/steps/browser-key.js';
import { requestContextOf } from '../../../src/http/steps/request-context.js';
import { adminKey } from '../../support/admin-key.js';
import { serveSteps, type StepServer } from '../../support/step-server.js';

const NOON = Date.parse('2029-06-15T12:00:00.000Z');
const LIMIT = 5;
const SHOP = 'https://shop.example';
const LOCAL = 'http://localhost:5173';

let server: StepServer;
let role: ApiKeyRole | undefined;
let allowedOrigins: string[];
let browserShares: ClientLimiter;

beforeAll(async () => {
  const { key } = adminKey();
  const parts = () => ({ browserShares, clock: () => NOON });
  const app = express()
    .use((_req, res, next) => {
      const caller =
        role && createCaller({ ...key, id: 'key_1', role, allowedOrigins }, undefined, 60, 'hash');
      Object.assign(requestContextOf(res), { client: '192.0.2.1', ...(caller && { caller }) });
      next();
    })
    .get('/page', (req, res, next) => requireOwnPage(parts())(req, res, next))
    .get('/take/:steps', (req, res) => {
      const context = requestContextOf(res);
      const seen = [];
      let taken: ReturnType<typeof takeShare>;
      for (const step of req.params.steps.split(',')) {
        if (step === 'refund') taken?.refund();
        else taken = takeShare(res, Number(step), parts());
        seen.push([context.taken ?? null, shareOf(res, parts())?.remaining ?? null]);
      }
      res.json({ seen, state: taken?.state ?? null });
    })
    .use((_req, res) => {
      res.json({ client: clientOfBrowserKey(res) ?? null });
    });
  server = await serveSteps(app);
});
afterAll(() => server.close());
beforeEach(() => {
  role = 'browser';
  allowedOrigins = [SHOP, LOCAL];
  browserShares = createClientLimiter(LIMIT, () => NOON);
});

const from = (origin?: string) => server.ask('/page', origin === undefined ? {} : { origin });
const take = (...steps: (number | 'refund')[]) => server.ask(`/take/${steps.join(',')}`);
const left = () => browserShares.peek('key_1 192.0.2.1').remaining;

describe('the origin of a browser key', () => {
  test.each([SHOP, LOCAL, 'http://127.0.0.1:5173', 'http://127.9.8.7:5173', 'http://[::1]:5173'])(
    'may be %s',
    async (origin) => {
      expect((await from(origin)).body).toEqual({ client: 'key_1 192.0.2.1' });
      expect(left()).toBe(LIMIT);
    },
  );

  test.each([
    'https://evil.example',
    'http://shop.example',
    `${SHOP}:8443`,
    `${SHOP}.evil.example`,
    'null',
    'http://127.0.0.1:5174',
    'https://localhost:5173',
    'http://localhost:5173/page',
    'http://localhost.evil.example:5173',
    'http://127.evil.example:5173',
    'http://10.0.0.1:5173',
  ])('may not be %s: 403 that the share pays for', async (origin) => {
    const { status, headers, body } = await from(origin);
    expect([status, body]).toEqual([
      403,
      {
        code: 'forbidden',
        message: `This browser key does not allow the origin ${origin}. It allows ${SHOP}, ${LOCAL}.`,
        details: { origin, allowedOrigins },
      },
    ]);
    expect(headers['ratelimit']).toBe('"client";r=4;t=60');
    expect(left()).toBe(LIMIT - 1);
  });

  test('another name of this machine does not open a key without one', async () => {
    allowedOrigins = [SHOP];
    expect((await from(LOCAL)).status).toBe(403);
    expect((await from('http://shop.example')).status).toBe(403);
  });

  test('may not be missing', async () => {
    expect((await from()).body).toEqual({
      code: 'forbidden',
      message: `A browser key works only from pages of its origins (${SHOP}, ${LOCAL}), and the request has no Origin header. Use a server key in other programs.`,
      details: { allowedOrigins },
    });
  });

  test.each([
    [10, ''],
    [11, ', …'],
  ])('of %i origins the error names ten at most, and a long one in part', async (count, more) => {
    allowedOrigins = Array.from({ length: count }, (_, i) => `https://shop${i}.example`);
    const origin = `https://${'x'.repeat(300)}.example`;
    const shown = origin.slice(0, 270);
    const named = allowedOrigins.slice(0, 10);
    expect((await from(origin)).body).toMatchObject({
      message: `This browser key does not allow the origin ${shown}. It allows ${named.join(', ')}${more}.`,
      details: { origin: shown, allowedOrigins: named },
    });
  });

  test('a page elsewhere that keeps asking has to wait', async () => {
    for (let i = 0; i < LIMIT; i++) expect((await from('null')).status).toBe(403);
    const { status, headers, body } = await from('null');
    expect([status, headers['ratelimit']]).toEqual([429, '"client";r=0;t=60']);
    expect(body).toEqual({
      code: 'rate_limit_exceeded',
      message: 'One client may send 5 requests a minute with this browser key. Retry in 60 s.',
      details: {
        window: 'client',
        limit: LIMIT,
        remaining: 0,
        cost: 1,
        resetAt: new Date(NOON + 60_000).toISOString(),
      },
    });
  });

  test.each(['server', 'owner', 'admin'] as const)('is nothing to a %s key', async (other) => {
    role = other;
    expect((await from()).body).toEqual({ client: null });
    expect((await take(100, 'refund')).body).toEqual({
      seen: [
        [null, null],
        [null, null],
      ],
      state: null,
    });
  });
});

describe('the share of one client', () => {
  test('pays for a request once, however often its cost is found', async () => {
    const { body } = await take(1, 3);
    expect(body).toEqual({
      seen: [
        [1, 4],
        [3, 2],
      ],
      state: { limit: LIMIT, remaining: 2, resetAtMs: NOON + 60_000 },
    });
  });

  test('gets back what the last call took', async () => {
    expect((await take(1, 3, 'refund', 4)).body).toMatchObject({
      seen: [
        [1, 4],
        [3, 2],
        [1, 4],
        [4, 1],
      ],
    });
  });

  test('may be used up to the last unit', async () => {
    expect((await take(LIMIT)).body).toMatchObject({ seen: [[LIMIT, 0]] });
  });

  test('429 for more than is left, with what is left in the headers', async () => {
    await take(3);
    const { status, headers, body } = await take(3);
    expect([status, headers['ratelimit']]).toEqual([429, '"client";r=2;t=60']);
    expect(body).toMatchObject({
      message:
        'One client may send 5 requests a minute with this browser key. This request costs 3; 2 are left. Retry in 60 s.',
      details: { cost: 3, remaining: 2 },
    });
  });

  test('429 for a cost of the whole share, which fits into a later minute', async () => {
    await take(1);
    expect((await take(LIMIT)).status).toBe(429);
  });

  test('400 for more than it ever has', async () => {
    const { status, body } = await take(LIMIT + 1);
    expect([status, body]).toEqual([
      400,
      {
        code: 'query_too_costly',
        message:
          'This request costs 6, and one client may spend 5 a minute with this browser key. Split the request.',
        details: { window: 'client', limit: LIMIT, cost: 6 },
      },
    ]);
    expect(left()).toBe(LIMIT);
  });
});

test('before authentication there is no share', async () => {
  role = undefined;
  expect((await server.ask('/')).body).toEqual({ client: null });
});

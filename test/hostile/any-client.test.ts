import fc from 'fast-check';
import { ERROR_STATUS, type ErrorCode } from '../../src/lib/errors.js';
import { useStarted } from '../support/gateway.js';
import { rawHead } from '../support/raw-http.js';
import { startVictim } from './victim.js';

/** Anybody, with or without a key, with headers of any name, at any address of the gateway. More in rest/any-request. */
const victim = useStarted(() => startVictim({ TRUST_PROXY: 'loopback' }));
afterEach(() => victim.expectAlive());

interface Error {
  code: ErrorCode;
  status: number;
  message: string;
}

const token = fc.string({
  unit: fc.constantFrom(...Array.from("abcXYZ019!#$%&'*+-.^_`|~")),
  minLength: 1,
  maxLength: 20,
});
const value = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
  maxLength: 60,
});
/** Names that decide how long a request is, are about the connection alone, or have a test of their own. */
const FRAMING = /^(content-length|transfer-encoding|connection|host|upgrade|expect|authorization)$/i;
const header = fc
  .tuple(token, value)
  .filter(([name]) => !FRAMING.test(name))
  .map(([name, text]) => `${name}: ${text}`);
const address = fc.ipV4();
const claim = fc.oneof(
  address.map((ip) => `X-Forwarded-For: ${ip}`),
  fc.ipV6().map((ip) => `X-Forwarded-For: ${ip}`),
  value.map((text) => `X-Forwarded-For: ${text}`),
  value.map((text) => `X-Request-Id: ${text}`),
  value.map((text) => `Origin: ${text}`),
  value.map((text) => `Accept: ${text}`),
  value.map((text) => `If-None-Match: ${text}`),
  value.map((text) => `If-Match: ${text}`),
  value.map((text) => `Idempotency-Key: ${text}`),
);
const path = fc.constantFrom(
  ...[
    '/v1/pets',
    '/v1/pets/1',
    '/v1/nothing',
    '/',
    '/graphql',
    '/graphql?query={__typename}',
    '/graphql?query={',
  ],
  ...['/docs', '/docs/', '/docs/x', '/docs/openapi.json', '/health/live', '/health/ready', '/metrics', '/v1'],
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'QUERY');

test('gets no 500, and every error in the format of its interface', async () => {
  const credentials = fc.oneof(
    fc.constant('the key'),
    fc.constant(undefined),
    value.map((text) => `Authorization: ${text}`),
    value.map((text) => `Authorization: Bearer ${text}`),
  );
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      credentials,
      fc.array(fc.oneof(header, claim), { maxLength: 8 }),
      async (m, p, c, headers) => {
        const authorization =
          c === 'the key' ? [`Authorization: Bearer ${victim.secret}`] : c === undefined ? [] : [c];
        const answer = await victim.send(
          rawHead(`${m} ${p} HTTP/1.1`, 'Host: x', 'Connection: close', ...authorization, ...headers),
        );
        expect(answer.status).not.toBe(500);
        expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        if (answer.status < 400 || m === 'HEAD') return;
        const body = JSON.parse(answer.body) as Error & { errors?: { message: string; extensions: Error }[] };
        const { code, status } = body.errors?.[0]?.extensions ?? body;
        expect([status, ERROR_STATUS[code]]).toEqual([answer.status, answer.status]);
        expect((body.errors?.[0] ?? body).message).toEqual(expect.any(String));
      },
    ),
    { numRuns: 400 },
  );
});

test('gets nothing without a key that requires one', async () => {
  const bearer = fc.oneof(
    value.map((text) => `Bearer ${text}`),
    fc
      .string({ unit: fc.constantFrom(...Array.from('0123456789abcdefXYZ')), minLength: 38, maxLength: 38 })
      .map((text) => `Bearer pets_live_${text}`),
    fc.nat(victim.secret.length - 1).map((i) => `Bearer ${victim.secret.slice(0, i)}`),
    fc
      .nat(victim.secret.length - 1)
      .map((i) => `Bearer ${victim.secret.slice(0, i)}!${victim.secret.slice(i + 1)}`),
    fc.constant(`Bearer ${victim.secret.toLowerCase()}`),
    fc.constant(`Bearer ${victim.secret}0`),
  );
  const targets = fc.constantFrom('/v1/pets', '/v1/pets/1', '/v1/nothing', '/graphql?query={__typename}');
  await fc.assert(
    fc.asyncProperty(targets, bearer, async (p, authorization) => {
      const lines = ['Host: x', 'Connection: close', `Authorization: ${authorization}`];
      expect((await victim.send(rawHead(`GET ${p} HTTP/1.1`, ...lines))).status).toBe(401);
    }),
    { numRuns: 200 },
  );
});

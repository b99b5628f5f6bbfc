import { rateLimitError } from '../../src/lib/rate-limit-error.js';

const NOON = Date.parse('2029-06-15T12:00:00.000Z');
const state = { limit: 30, remaining: 2, resetAtMs: NOON + 1500 };
const request = { cost: 3, nowMs: NOON, sentence: 'One client may send 30 requests a minute.' };
const details = { window: 'client', limit: 30, remaining: 2, cost: 3, resetAt: '2029-06-15T12:00:01.500Z' };

test('says what the request costs and what is left', () => {
  expect(rateLimitError('client', state, request)).toMatchObject({
    code: 'rate_limit_exceeded',
    message: `${request.sentence} This request costs 3; 2 are left. Retry in 2 s.`,
    retryAfterSeconds: 2,
    details,
  });
});

test('says that one is left', () => {
  expect(rateLimitError('client', { ...state, remaining: 1 }, request)).toMatchObject({
    message: `${request.sentence} This request costs 3; 1 is left. Retry in 2 s.`,
  });
});

test.each([
  ['that costs 1', state, { cost: 1 }],
  ['of a limit that does not say what is left', { ...state, remaining: undefined }, { cost: 3 }],
])('says only when to come again for a request %s', (_what, { remaining, ...limit }, cost) => {
  const given = remaining === undefined ? limit : { ...limit, remaining };
  expect(rateLimitError('client', given, { ...request, ...cost })).toMatchObject({
    message: `${request.sentence} Retry in 2 s.`,
    details: { ...details, remaining, ...cost },
  });
});

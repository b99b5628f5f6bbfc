import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { createClientLimiter } from '../../../src/features/limiter/client-limiter.js';
import type { WindowState } from '../../../src/features/plans/window.js';
import {
  setAnonymousHeaders,
  setDashboardHeaders,
  setQuotaHeaders,
  setShareHeaders,
  setSignInHeaders,
  unauthenticatedHeaders,
} from '../../../src/http/answers/rate-limit-headers.js';
import { ApiError } from '../../../src/lib/errors.js';

const NOON = Date.parse('2029-06-15T12:00:00.000Z');
const NOON_SECONDS = NOON / 1000;
const TO_MIDNIGHT = 12 * 3600;

function headersAfter(set: (res: ServerResponse) => void): Record<string, unknown> {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  set(res);
  return { ...res.getHeaders() };
}
const windowOf = (name: 'minute' | 'day', limit: number, used: number, resetAtMs?: number): WindowState => ({
  name,
  limit,
  used,
  remaining: limit - used,
  resetAtMs,
});

describe('of a key', () => {
  const minute = windowOf('minute', 60, 10, NOON + 29_001);
  const day = windowOf('day', 1000, 960, NOON + 3_600_000);
  const both = { windows: [minute, day], effectiveWindow: day };
  const policy = '"minute";q=60;w=60, "day";q=1000;w=86400';
  const state = '"minute";r=50;t=30, "day";r=40;t=3600';
  const ofDay = {
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '40',
    'x-ratelimit-reset': String(NOON_SECONDS + 3600),
  };
  const ofShare = {
    'x-ratelimit-limit': '30',
    'x-ratelimit-remaining': '39',
    'x-ratelimit-reset': String(NOON_SECONDS + 50),
  };
  const share = { limit: 30, remaining: 39, resetAtMs: NOON + 50_000 };

  test('X-RateLimit describes the effective window, the others all windows', () => {
    expect(headersAfter((res) => setQuotaHeaders(res, both, NOON))).toEqual({
      ...ofDay,
      'ratelimit-policy': policy,
      ratelimit: state,
    });
  });

  test('none if the key has no windows', () => {
    const none = { windows: [], effectiveWindow: undefined };
    expect(headersAfter((res) => setQuotaHeaders(res, none, NOON, share))).toEqual({});
  });

  test('a window that has not begun resets as if it began now; one that is over, now', () => {
    const windows = [windowOf('minute', 60, 0), windowOf('day', 1000, 0)];
    const effectiveWindow = windowOf('day', 1000, 0);
    expect(headersAfter((res) => setQuotaHeaders(res, { windows, effectiveWindow }, NOON))).toMatchObject({
      'x-ratelimit-reset': String(NOON_SECONDS + TO_MIDNIGHT),
      ratelimit: `"minute";r=60;t=60, "day";r=1000;t=${TO_MIDNIGHT}`,
    });
    const over = windowOf('minute', 60, 1, NOON - 5000);
    expect(
      headersAfter((res) => setQuotaHeaders(res, { windows: [over], effectiveWindow: over }, NOON)),
    ).toMatchObject({ 'x-ratelimit-reset': String(NOON_SECONDS - 5), ratelimit: '"minute";r=59;t=0' });
  });

  test.each([
    ['less left than the key', share, ofShare],
    ['as much left', { ...share, remaining: 40 }, ofDay],
    ['more left', { ...share, remaining: 41 }, ofDay],
  ])('a share with %s', (_what, given, expected) => {
    expect(headersAfter((res) => setQuotaHeaders(res, both, NOON, given))).toEqual({
      ...expected,
      'ratelimit-policy': `${policy}, "client";q=30;w=60`,
      ratelimit: `${state}, "client";r=${given.remaining};t=50`,
    });
  });

  test('a rejection is described by the window that rejected, not by the share', () => {
    const refused = { ...both, refusal: new ApiError('rate_limit_exceeded', 'No more today.') };
    expect(headersAfter((res) => setQuotaHeaders(res, refused, NOON, share))).toMatchObject(ofDay);
  });

  test('the limit of the dashboard has a name of its own', () => {
    expect(headersAfter((res) => setQuotaHeaders(res, both, NOON, share, 'dashboard'))).toEqual({
      ...ofShare,
      'ratelimit-policy': `${policy}, "dashboard";q=30;w=60`,
      ratelimit: `${state}, "dashboard";r=39;t=50`,
    });
  });
});

describe('of one limit', () => {
  const of = (name: string) => ({
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '2',
    'x-ratelimit-reset': String(NOON_SECONDS + 60),
    'ratelimit-policy': `"${name}";q=3;w=60`,
    ratelimit: `"${name}";r=2;t=60`,
  });

  test.each([
    ['client', setShareHeaders],
    ['anonymous', setAnonymousHeaders],
    ['dashboard', setDashboardHeaders],
    ['signin', setSignInHeaders],
  ])('%s', (name, set) => {
    const state = { limit: 3, remaining: 2, resetAtMs: NOON + 59_500 };
    expect(headersAfter((res) => set(res, state, NOON))).toEqual(of(name));
  });

  test('of an unauthenticated client outside the app: what it has left, without a charge', () => {
    const anonymous = createClientLimiter(3, () => NOON);
    anonymous.charge('192.0.2.1');
    const headersOf = unauthenticatedHeaders({ anonymous, clock: () => NOON });
    for (let i = 0; i < 2; i++)
      expect(headersAfter((res) => res.setHeaders(new Headers(headersOf('192.0.2.1'))))).toEqual(
        of('anonymous'),
      );
  });
});

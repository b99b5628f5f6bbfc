import type { ServerResponse } from 'node:http';
import { SECOND_MS, type Clock } from '../../lib/clock.js';
import type { ClientLimiter, ClientState } from '../../features/limiter/client-limiter.js';
import type { Verdict } from '../../features/quotas/quotas-service.js';
import { wholeWindowMs, WINDOWS, type WindowState } from '../../features/plans/window.js';

interface NamedLimit {
  name: string;
  limit: number;
  remaining: number;
  resetAtMs: number;
  windowSeconds: number;
}

export type RateLimitHeaders = Readonly<Record<string, string>>;

/**
 * Sets X-RateLimit-* for the effective window, and RateLimit-Policy and RateLimit of the IETF draft
 * (draft-ietf-httpapi-ratelimit-headers) for all windows.
 * `share`, a client's share of a browser key or the limit of the dashboard's sessions, counts as one of the windows. If
 * the request is not rejected and the share has less left than the key, X-RateLimit-* describes the share.
 */
export function setQuotaHeaders(
  res: ServerResponse,
  { windows, effectiveWindow, refusal }: Pick<Verdict, 'windows' | 'effectiveWindow' | 'refusal'>,
  nowMs: number,
  share?: ClientState,
  shareName: 'client' | 'dashboard' = 'client',
): void {
  if (effectiveWindow === undefined) return;
  const named = ({ name, limit, remaining, resetAtMs }: WindowState): NamedLimit => ({
    name,
    limit,
    remaining,
    // A window that has not begun would reset this long after a request made now.
    resetAtMs: resetAtMs ?? nowMs + wholeWindowMs(name, nowMs),
    windowSeconds: WINDOWS[name].lengthMs / SECOND_MS,
  });
  const limits = windows.map(named);
  if (share === undefined) {
    setHeaders(res, rateLimitHeaders(limits, named(effectiveWindow), nowMs));
    return;
  }
  const client = minuteOf(shareName, share);
  const speaking =
    refusal === undefined && share.remaining < effectiveWindow.remaining ? client : named(effectiveWindow);
  setHeaders(res, rateLimitHeaders([...limits, client], speaking, nowMs));
}

/** Sets the headers for a client's share only, without reading the key's quota from the store. */
export function setShareHeaders(res: ServerResponse, share: ClientState, nowMs: number): void {
  setHeaders(res, minuteHeaders('client', share, nowMs));
}

export function setAnonymousHeaders(res: ServerResponse, state: ClientState, nowMs: number): void {
  setHeaders(res, minuteHeaders('anonymous', state, nowMs));
}

/** Sets the headers for the limit that all dashboard sessions of one key share. It is separate from the key's quota. */
export function setDashboardHeaders(res: ServerResponse, state: ClientState, nowMs: number): void {
  setHeaders(res, minuteHeaders('dashboard', state, nowMs));
}

/** Sets the headers for the failed sign-in attempts that a client has left. */
export function setSignInHeaders(res: ServerResponse, state: ClientState, nowMs: number): void {
  setHeaders(res, minuteHeaders('signin', state, nowMs));
}

/**
 * Returns a function that gives the rate limit headers of an unauthenticated client, for responses sent outside the
 * app. Charges nothing.
 */
export function unauthenticatedHeaders({ anonymous, clock }: { anonymous: ClientLimiter; clock: Clock }) {
  return (client: string): RateLimitHeaders => minuteHeaders('anonymous', anonymous.peek(client), clock());
}

function minuteHeaders(name: string, state: ClientState, nowMs: number): RateLimitHeaders {
  const limit = minuteOf(name, state);
  return rateLimitHeaders([limit], limit, nowMs);
}

function minuteOf(name: string, state: ClientState): NamedLimit {
  return { ...state, name, windowSeconds: 60 };
}

function setHeaders(res: ServerResponse, headers: RateLimitHeaders): void {
  for (const name in headers) res.setHeader(name, headers[name] ?? '');
}

function rateLimitHeaders(
  limits: readonly NamedLimit[],
  effectiveWindow: NamedLimit,
  nowMs: number,
): RateLimitHeaders {
  let policy = '';
  let state = '';
  for (const { name, limit, remaining, resetAtMs, windowSeconds } of limits) {
    const separator = policy === '' ? '' : ', ';
    const secondsLeft = Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000));
    policy += `${separator}"${name}";q=${limit};w=${windowSeconds}`;
    state += `${separator}"${name}";r=${remaining};t=${secondsLeft}`;
  }
  return {
    'X-RateLimit-Limit': String(effectiveWindow.limit),
    'X-RateLimit-Remaining': String(effectiveWindow.remaining),
    'X-RateLimit-Reset': String(Math.ceil(effectiveWindow.resetAtMs / 1000)),
    'RateLimit-Policy': policy,
    RateLimit: state,
  };
}

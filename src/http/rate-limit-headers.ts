import type { ServerResponse } from 'node:http';
import type { AnonymousState } from '../quotas/anonymous-limiter.js';
import type { Verdict } from '../quotas/quotas-service.js';
import { counterLifetimeMs, WINDOW_SECONDS, type WindowState } from '../quotas/window.js';

interface NamedLimit {
  name: string;
  limit: number;
  remaining: number;
  resetAtMs: number;
  windowSeconds: number;
}

/**
 * X-RateLimit-* (specification 8.3) for the window that matters most, and the IETF draft's RateLimit-Policy and
 * RateLimit (draft-ietf-httpapi-ratelimit-headers) for all of them.
 */
export function setQuotaHeaders(
  res: ServerResponse,
  { windows, headline }: Pick<Verdict, 'windows' | 'headline'>,
  nowMs: number,
): void {
  if (headline === undefined) return;
  const named = (window: WindowState): NamedLimit => ({
    ...window,
    // A window that has not begun would end this much after a request made now.
    resetAtMs: window.resetAtMs ?? nowMs + counterLifetimeMs(window.name, nowMs),
    windowSeconds: WINDOW_SECONDS[window.name],
  });
  setHeaders(res, windows.map(named), named(headline), nowMs);
}

export function setAnonymousHeaders(res: ServerResponse, state: AnonymousState, nowMs: number): void {
  const limit: NamedLimit = { ...state, name: 'anonymous', windowSeconds: 60 };
  setHeaders(res, [limit], limit, nowMs);
}

function setHeaders(
  res: ServerResponse,
  limits: readonly NamedLimit[],
  headline: NamedLimit,
  nowMs: number,
): void {
  const secondsLeft = ({ resetAtMs }: NamedLimit) => Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000));
  res.setHeader('X-RateLimit-Limit', headline.limit);
  res.setHeader('X-RateLimit-Remaining', headline.remaining);
  res.setHeader('X-RateLimit-Reset', Math.ceil(headline.resetAtMs / 1000));
  res.setHeader(
    'RateLimit-Policy',
    limits.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`).join(', '),
  );
  res.setHeader(
    'RateLimit',
    limits.map((limit) => `"${limit.name}";r=${limit.remaining};t=${secondsLeft(limit)}`).join(', '),
  );
}

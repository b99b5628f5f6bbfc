import { randomUUID } from 'node:crypto';
import type { ApiError } from '../../lib/errors.js';
import { commonHeaders } from './common-headers.js';
import type { RateLimitHeaders } from './rate-limit-headers.js';
import { errorBody } from './render-error.js';

/** A response over HTTP/1.1 or HTTP/2. */
interface Unsent {
  statusCode: number;
  setHeader: (name: string, value: string | number) => unknown;
  end: (body: string) => unknown;
}

/** Sends the Error object for a request that does not reach the app. */
export function sendOutsideApp(
  res: Unsent,
  error: ApiError,
  rateHeaders: RateLimitHeaders,
  gatewayUrl: string | undefined,
): void {
  const requestId = randomUUID();
  setHeadersOutsideApp(res, requestId, rateHeaders);
  res.statusCode = error.status;
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
  res.end(errorBody(error, { requestId, gatewayUrl }));
}

export function setHeadersOutsideApp(res: Unsent, requestId: string, rateHeaders: RateLimitHeaders): void {
  const headers = { ...commonHeaders(requestId), ...rateHeaders };
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Cache-Control', 'no-store');
}

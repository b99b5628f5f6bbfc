import type { ServerResponse } from 'node:http';

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Link',
  'ETag',
  'Retry-After',
  'X-Request-Id',
  'Deprecation',
  'Sunset',
  'Idempotency-Replayed',
  'X-Next-Cursor',
].join(', ');

/** Headers that are the same in every response, whichever layer sends it. Later steps may override them. */
const SAME: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization, Origin, Accept, Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
};
const SAME_PAIRS = Object.entries(SAME);

/** Headers of every response. */
export function commonHeaders(requestId: string): Readonly<Record<string, string>> {
  return { 'X-Request-Id': requestId, ...SAME };
}

export function setCommonHeaders(res: ServerResponse, requestId: string): void {
  res.setHeader('X-Request-Id', requestId);
  for (const [name, value] of SAME_PAIRS) res.setHeader(name, value);
}

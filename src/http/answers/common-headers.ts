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
].join(', ');

/** Headers of every response, whichever layer sends it. Later steps may override them. */
export function commonHeaders(requestId: string): Readonly<Record<string, string>> {
  return {
    'X-Request-Id': requestId,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Origin, Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  };
}

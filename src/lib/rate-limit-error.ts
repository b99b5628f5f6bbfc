import { wholeSeconds } from './clock.js';
import { ApiError } from './errors.js';

/**
 * Creates the 429 error of a limit other than the quota of a key. `window` is the limit's name; the message is
 * `sentence` and the wait. `resetAtMs` and `nowMs` are milliseconds since 1970.
 */
export function rateLimitError(
  window: string,
  { limit, resetAtMs }: { limit: number; resetAtMs: number },
  { cost, nowMs, sentence }: { cost: number; nowMs: number; sentence: string },
): ApiError {
  const retryAfterSeconds = wholeSeconds(resetAtMs - nowMs);
  return new ApiError('rate_limit_exceeded', `${sentence} Retry in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
    details: { window, limit, cost, resetAt: new Date(resetAtMs).toISOString() },
  });
}

import { wholeSeconds } from './clock.js';
import { ApiError } from './errors.js';

/**
 * Creates the 429 error of a limit other than the quota of a key. `window` is the limit's name; the message is
 * `sentence`, what is left if the request costs more than 1, and the wait. `resetAtMs` and `nowMs` are milliseconds since 1970.
 */
export function rateLimitError(
  window: string,
  { limit, remaining, resetAtMs }: { limit: number; remaining?: number; resetAtMs: number },
  { cost, nowMs, sentence }: { cost: number; nowMs: number; sentence: string },
): ApiError {
  const retryAfterSeconds = wholeSeconds(resetAtMs - nowMs);
  const left =
    remaining === undefined || cost === 1
      ? ''
      : ` This request costs ${cost}; ${remaining} ${remaining === 1 ? 'is' : 'are'} left.`;
  return new ApiError('rate_limit_exceeded', `${sentence}${left} Retry in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
    details: { window, limit, remaining, cost, resetAt: new Date(resetAtMs).toISOString() },
  });
}

import { ApiError } from '../../lib/errors.js';
import type { ClientState } from '../../features/limiter/client-limiter.js';

/**
 * Creates the 429 error of a per-minute limit that this process counts in memory. `window` is the limit's name; the
 * message is `sentence` and the wait.
 */
export function rateLimitError(
  window: string,
  { limit, resetAtMs }: ClientState,
  { cost, nowMs, sentence }: { cost: number; nowMs: number; sentence: string },
): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000));
  return new ApiError('rate_limit_exceeded', `${sentence} Retry in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
    details: { window, limit, cost, resetAt: new Date(resetAtMs).toISOString() },
  });
}

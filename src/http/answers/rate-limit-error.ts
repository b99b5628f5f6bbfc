import { ApiError } from '../../lib/errors.js';
import type { ClientState } from '../../features/limiter/client-limiter.js';

/** The 429 of a minute's limit that this gateway keeps in memory, by the name of the limit and a sentence about it. */
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

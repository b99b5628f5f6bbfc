import { PetsApiError, PetsUnreachable } from './errors.js';

export interface RetryOptions {
  /** After the first attempt. Default: 4. */
  retries?: number;
  /** The first wait without a Retry-After is up to this long, the next up to twice that, and so on. Default: 500 ms. */
  baseMs?: number;
  /** What would have to wait longer fails at once. Default: 70 s, a minute's window and a little. */
  maxWaitMs?: number;
  /** Replaces the timer, for tests. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const DEFAULTS = { retries: 4, baseMs: 500, maxWaitMs: 70_000, wait };

/** Repeats what may succeed later, after the wait that was asked for, or else exponentially longer ones with jitter. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  options: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { retries, baseMs, maxWaitMs, wait } = { ...DEFAULTS, ...options };
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (retry >= retries || !mayPass(error)) throw error;
      const backoffMs = Math.random() * baseMs * 2 ** retry;
      // A part of chance on top: many clients are told the same moment.
      const waitMs =
        error.retryAfterMs === undefined ? backoffMs : error.retryAfterMs + Math.random() * baseMs;
      if (waitMs > maxWaitMs) throw error;
      await wait(waitMs, signal);
    }
  }
}

function mayPass(error: unknown): error is PetsApiError | PetsUnreachable {
  if (!(error instanceof PetsUnreachable || error instanceof PetsApiError)) return false;
  return error.status === undefined || error.status >= 500 || error.retryAfterMs !== undefined;
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    }
    if (signal?.aborted === true) end();
  });
}

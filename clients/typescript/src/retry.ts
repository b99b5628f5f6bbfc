import { PetsApiError, PetsUnreachable } from './errors.js';

export interface RetryOptions {
  /** The number of attempts after the first one. Default: 4. */
  retries?: number;
  /** The longest first wait without a Retry-After. Each further wait can be twice as long. Default: 500 ms. */
  baseMs?: number;
  /** A request that would have to wait longer fails at once. Default: 70 s, a little more than a quota window. */
  maxWaitMs?: number;
  /** Replaces the timer, for tests. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The first wait after a 429 that does not say how long to wait, such as that of a proxy. */
const REJECTED_BASE_MS = 4000;
const DEFAULTS = { retries: 4, baseMs: 500, maxWaitMs: 70_000, wait };

/** Retries an attempt that can succeed later: after the wait that the API asks for, or with exponential backoff and jitter. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  options: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { retries, baseMs, maxWaitMs, wait } = { ...DEFAULTS, ...options };
  for (let retry = 0; ; retry += 1)
    try {
      return await attempt();
    } catch (error) {
      if (retry >= retries || !mayPass(error)) throw error;
      const waitMs = waitAfter(error, baseMs, retry);
      if (waitMs > maxWaitMs) throw error;
      await wait(waitMs, signal);
    }
}

function waitAfter(error: PetsApiError | PetsUnreachable, baseMs: number, retry: number): number {
  const jitterMs = Math.random() * baseMs;
  // Many clients get the same Retry-After.
  if (error.retryAfterMs !== undefined) return error.retryAfterMs + jitterMs;
  // A client that came back soon would be rejected again, and could get its key banned.
  if (error.status === 429) return REJECTED_BASE_MS * 2 ** retry + jitterMs;
  return jitterMs * 2 ** retry;
}

function mayPass(error: unknown): error is PetsApiError | PetsUnreachable {
  if (!(error instanceof PetsUnreachable || error instanceof PetsApiError)) return false;
  const { status, retryAfterMs } = error;
  return status === undefined || status === 429 || status >= 500 || retryAfterMs !== undefined;
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

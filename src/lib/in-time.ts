import type { Awaitable } from './awaitable.js';
import { serviceUnavailable } from './errors.js';
import { TimeoutError, withTimeout } from './with-timeout.js';

/**
 * How long the execution of a request may take, in milliseconds, regardless of the number of database operations. The
 * driver has no such limit: its timeouts apply to one attempt of one operation.
 */
const EXECUTION_TIMEOUT_MS = 5000;

/**
 * Resolves with the result of `answer`, or fails with 503 after `timeoutMs`. A known result is returned at once. The operation may still complete after
 * that. A client that sent an Idempotency-Key can retry without doing the operation twice.
 * @throws ApiError service_unavailable; errors of `answer`
 */
export function inTime<T>(answer: Promise<T>, timeoutMs?: number): Promise<T>;
export function inTime<T>(answer: Awaitable<T>, timeoutMs?: number): Awaitable<T>;
export function inTime<T>(answer: Awaitable<T>, timeoutMs = EXECUTION_TIMEOUT_MS): Awaitable<T> {
  if (!(answer instanceof Promise)) return answer;
  return withTimeout(answer, timeoutMs).catch((error: unknown) => {
    throw error instanceof TimeoutError
      ? serviceUnavailable('The database did not answer in time.', error)
      : error;
  });
}

import { serviceUnavailable } from './errors.js';
import { TimeoutError, withTimeout } from './with-timeout.js';

/**
 * How long a request is executed, milliseconds, however many operations of the database it takes. The driver has no such
 * limit: its timeouts are about one attempt of one operation.
 */
const EXECUTION_TIMEOUT_MS = 5000;

/**
 * What the database is asked for, or 503. What was under way may be done all the same; whoever sent an Idempotency-Key
 * can come again without doing it twice.
 * @throws ApiError service_unavailable, and what `answer` throws
 */
export function inTime<T>(answer: Promise<T>, timeoutMs = EXECUTION_TIMEOUT_MS): Promise<T> {
  return withTimeout(answer, timeoutMs).catch((error: unknown) => {
    throw error instanceof TimeoutError
      ? serviceUnavailable('The database did not answer in time.', error)
      : error;
  });
}

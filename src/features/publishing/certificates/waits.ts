const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Milliseconds until the next poll of an order that the CA is processing: 1 s, doubling to 30 s, or the CA's
 * `Retry-After` if longer, up to an hour.
 * @param looks number of polls so far
 */
export function waitForCaMs(looks: number, askedMs = 0): number {
  const ownMs = Math.min(SECOND_MS * 2 ** looks, 30 * SECOND_MS);
  return Math.max(ownMs, Math.min(askedMs, HOUR_MS));
}

/**
 * Milliseconds until the retry of a temporarily failed request: 10 s, doubling to 6 hours, or the CA's `Retry-After` if
 * longer, up to a day.
 * @param failures number of failures before this one
 */
export function waitAfterFailureMs(failures: number, askedMs = 0): number {
  const ownMs = Math.min(10 * SECOND_MS * 2 ** failures, 6 * HOUR_MS);
  return Math.max(ownMs, Math.min(askedMs, 24 * HOUR_MS));
}

/**
 * Milliseconds until the gateway asks the CA for another validation of the same order: 1 minute, then 5.
 * @param failed number of failed validations so far, from 1
 */
export function waitForValidationMs(failed: number): number {
  return MINUTE_MS * 5 ** (failed - 1);
}

/**
 * Parses `Retry-After`, seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds from now.
 * @returns undefined if the header is missing or neither
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // Date.parse accepts other text too, such as "-1".
  const atMs = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/**
 * `Retry-After` as milliseconds from now: a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 * @returns undefined when it is absent or neither
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // Date.parse takes much else, such as "-1".
  const atMs = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

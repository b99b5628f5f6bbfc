/**
 * Parses `Retry-After`, a number of seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds from now.
 * @returns undefined if the header is missing or neither
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // Date.parse accepts other text too, such as "-1".
  const atMs = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

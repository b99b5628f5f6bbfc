/** The current time, in milliseconds since the Unix epoch. Code receives the clock as an argument. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/**
 * How far apart the clocks of gateways and MongoDB may be, milliseconds. Clocks that differ more disagree on when a ban
 * or a key ends.
 */
export const CLOCK_TOLERANCE_MS = 1000;

/** A wait in whole seconds, rounded up and at least 1, as `Retry-After` says it (RFC 9110 section 10.2.3). */
export function wholeSeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / SECOND_MS));
}

/** The second of the clock that this moment is in: Unix time, rounded down. */
export function unixSecond(nowMs: number): number {
  return Math.floor(nowMs / SECOND_MS);
}

/** The UTC calendar day, for example `2026-11-21`. */
export function utcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

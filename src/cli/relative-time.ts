import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/clock.js';

/** From the largest to the smallest. Months and years have their usual length on average. */
const UNITS = [
  ['year', 365.25 * DAY_MS],
  ['month', 30.44 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1000],
] as const;
/** Created when first needed: it takes 12 ms, and a start of the gateway needs none. */
let format: Intl.RelativeTimeFormat | undefined;

/** The distance of a time from now in its largest whole unit: `3 hours ago`, `in 2 days`, `just now`. */
export function relativeTime(at: Date, nowMs: number): string {
  const distanceMs = at.getTime() - nowMs;
  if (distanceMs <= 0 && distanceMs > -MINUTE_MS) return 'just now';
  const [unit, lengthMs] = UNITS.find(([, length]) => Math.abs(distanceMs) >= length) ?? ['second', 1000];
  format ??= new Intl.RelativeTimeFormat('en');
  return format.format(Math.trunc(distanceMs / lengthMs), unit);
}

/** By number of days. */
export const RANGES = { '7': '7 days', '30': '30 days', '90': '90 days' };
export type Range = keyof typeof RANGES;

const DAY_MS = 86_400_000;

/** Returns the start of the first UTC day of a range of `days` that ends today. */
export function firstDayOf(days: number, nowMs: number): string {
  return new Date((Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS).toISOString();
}

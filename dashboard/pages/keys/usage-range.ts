export const RANGES = [7, 30, 90] as const;
export type RangeDays = (typeof RANGES)[number];

const DAY_MS = 86_400_000;

/** Returns the start of the first UTC day of a range of `days` that ends today. */
export function firstDayOf(days: number, nowMs: number): string {
  return new Date((Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS).toISOString();
}

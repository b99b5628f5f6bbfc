import { DAY_MS, utcDay } from '../../lib/clock.js';
import { invalidRequest } from '../../lib/errors.js';

/** A range of whole UTC days. */
export interface UsageRange {
  /** The first millisecond of the first day. */
  from: Date;
  /** The first millisecond after the last day. */
  to: Date;
  /** Each day, as `2026-11-22`, in order. */
  days: readonly string[];
}

export const MAX_USAGE_DAYS = 400;
const DEFAULT_DAYS = 30;

/**
 * Returns the days that a time span touches; by default the last 30 days. `to` is exclusive: from the first of a month
 * to the first of the next is that month.
 * @throws ApiError invalid_request
 */
export function usageRange(from: Date | undefined, to: Date | undefined, nowMs: number): UsageRange {
  const { beginMs, endMs } = boundsOf(from, to, nowMs);
  return {
    from: new Date(beginMs),
    to: new Date(endMs),
    days: Array.from({ length: (endMs - beginMs) / DAY_MS }, (_, i) => utcDay(beginMs + i * DAY_MS)),
  };
}

/** Returns the number of days of such a range, without listing them. @throws ApiError invalid_request */
export function daysOfRange(from: Date | undefined, to: Date | undefined, nowMs: number): number {
  const { beginMs, endMs } = boundsOf(from, to, nowMs);
  return (endMs - beginMs) / DAY_MS;
}

function boundsOf(
  from: Date | undefined,
  to: Date | undefined,
  nowMs: number,
): { beginMs: number; endMs: number } {
  const toMs = to?.getTime() ?? nowMs + 1;
  const endMs = Math.ceil(toMs / DAY_MS) * DAY_MS;
  const fromMs = from?.getTime() ?? endMs - DEFAULT_DAYS * DAY_MS;
  if (fromMs < 0) throw invalidRequest({ field: from === undefined ? 'to' : 'from', message: TOO_EARLY });
  if (fromMs >= toMs)
    throw invalidRequest({
      field: 'from',
      message: `must be before ${to === undefined ? 'now, unless there is a later `to`' : '`to`'}`,
    });
  const beginMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  const count = (endMs - beginMs) / DAY_MS;
  if (count > MAX_USAGE_DAYS)
    throw invalidRequest({
      field: 'from',
      message: `must be at most ${MAX_USAGE_DAYS} days before \`to\`, not ${count}: request shorter ranges`,
    });
  return { beginMs, endMs };
}

const TOO_EARLY = 'must be later than 1970';

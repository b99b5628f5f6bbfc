import { InvalidArgumentError } from 'commander';
import { DAY_MS } from '../lib/clock.js';

/** @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^[0-9]{1,10}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

/** @throws InvalidArgumentError */
export function positiveNumber(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('Use a number from 1.');
  return value;
}

/** What `date` takes, for the help of an option. */
export const DATE_HELP = 'UTC unless it has an offset; a date means 00:00 UTC';

// Each part starts with a character that the part before it cannot contain, so no character is read twice.
// eslint-disable-next-line security/detect-unsafe-regex
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Parses an ISO 8601 date or time: `2027-01-31`, `2027-01-31T12:00:00Z`. Without an offset it is in UTC, whatever the time
 * zone of the machine. @throws InvalidArgumentError
 */
export function date(text: string): Date {
  const [, day = '', time = '00:00', offset = 'Z'] = DATE.exec(text) ?? [];
  const value = new Date(`${day}T${time}${offset.toUpperCase()}`);
  if (!isCalendarDay(day) || Number.isNaN(value.getTime()))
    throw new InvalidArgumentError(
      'Use a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z. Without an offset it is in UTC.',
    );
  return value;
}

/** The end of a range: the end of a date, or a time as given. @throws InvalidArgumentError */
export function endOf(text: string): Date {
  return new Date(date(text).getTime() + (text.length === 'YYYY-MM-DD'.length ? DAY_MS : 0));
}

export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** Whether the day exists: Date turns 30 February into a day of March. */
function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

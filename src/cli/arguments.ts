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

/** Parses an ISO 8601 date or time: `2027-01-31`, `2027-01-31T12:00:00Z`. @throws InvalidArgumentError */
export function date(text: string): Date {
  const value = new Date(text);
  if (!isCalendarDay(text.slice(0, 10)) || Number.isNaN(value.getTime()))
    throw new InvalidArgumentError('Use a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z.');
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

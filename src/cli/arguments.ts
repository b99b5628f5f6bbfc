import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^[0-9]{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** @throws InvalidArgumentError */
export function positiveNumber(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

/** Parses an ISO 8601 date or time: `2027-01-31`, `2027-01-31T12:00:00Z`. @throws InvalidArgumentError */
export function date(text: string): Date {
  const value = new Date(text);
  if (!isCalendarDay(text.slice(0, 10)) || Number.isNaN(value.getTime()))
    throw new InvalidArgumentError('It must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  return value;
}

export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

/** Whether the day exists: Date turns 30 February into a day of March. */
function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

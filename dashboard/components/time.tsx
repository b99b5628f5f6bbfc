import { useEffect, useState } from 'preact/hooks';

/**
 * Shows a time in words ("3 minutes ago"), with the full time in the reader's time zone as its title. Null shows a
 * dash.
 */
export function Time({ at }: { at: string | null }) {
  const nowMs = useNow();
  if (at === null) return <span>–</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {relativeTime(Date.parse(at) - nowMs)}
    </time>
  );
}

/** As Time, as date and time of day: "22 Nov 2026, 03:50". */
export function DateAndTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {shortFormat.format(new Date(at))}
    </time>
  );
}

/** As DateAndTime and Time: when it was or will be, and how long that is from now. */
export function When({ at }: { at: string }) {
  return (
    <span class="when">
      <DateAndTime at={at} />{' '}
      <span class="quiet small">
        <Time at={at} />
      </span>
    </span>
  );
}

/** As DateAndTime and Time, in a sentence: "5 Dec 2026, 03:50 (in 7 days)". */
export function Until({ at }: { at: string }) {
  return (
    <>
      <DateAndTime at={at} /> (<Time at={at} />)
    </>
  );
}

/** As Time, as "at 14:03:20", or "on 24 Nov at 01:00" if it is not today. */
export function AtTime({ at }: { at: string }) {
  return isToday(at) ? (
    <>
      at <TimeOfDay at={at} />
    </>
  ) : (
    <>
      on{' '}
      <time dateTime={at} title={fullTime(at)}>
        {dayFormat.format(new Date(at))} at {minuteFormat.format(new Date(at))}
      </time>
    </>
  );
}

/** As Time, as time of day, "14:03:20", with the date if it is not today. */
export function TimeOfDay({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {(isToday(at) ? timeFormat : dayAndTimeFormat).format(new Date(at))}
    </time>
  );
}

const shortFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const minuteFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dayAndTimeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const fullFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });
const relativeFormat = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const TICK_MS = 15_000;

function isToday(at: string): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

function fullTime(at: string): string {
  return fullFormat.format(new Date(at));
}

/** Rounds: seven days less a minute are "in 7 days". */
function relativeTime(differenceMs: number): string {
  const seconds = Math.round(differenceMs / 1000);
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return relativeFormat.format(Math.round(seconds / size), unit);
  return seconds <= 0 ? 'just now' : 'in less than a minute';
}

/** Returns the time of this render, and renders again every TICK_MS. A response can contain a time after the last tick. */
function useNow(): number {
  const [, setTickMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setTickMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}

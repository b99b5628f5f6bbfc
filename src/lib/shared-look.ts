import type { Clock } from './clock.js';

/** A look at something slow, shared by all that ask. At most one look is in progress. */
export interface SharedLook<T> {
  /** Returns the look in progress, or the last result if it is at most `maxAgeMs` old, or that of a new look. */
  (maxAgeMs: number): Promise<T>;
  /** Whether a call with this age would begin a new look. */
  isDue(maxAgeMs: number): boolean;
}

/**
 * The age of a result counts from the end of its look, so that a slow look is not repeated at once. A failed look is
 * shared like a result.
 * @param stopwatchMs milliseconds from any beginning, which nobody sets
 */
export function shareLook<T>(
  look: () => Promise<T>,
  stopwatchMs: Clock = () => performance.now(),
): SharedLook<T> {
  let last: { answer: Promise<T>; endedMs: number | undefined } | undefined;

  const isDue = (maxAgeMs: number) =>
    last === undefined || (last.endedMs !== undefined && stopwatchMs() - last.endedMs >= maxAgeMs);

  function begin(): Promise<T> {
    const begun: NonNullable<typeof last> = { answer: look(), endedMs: undefined };
    const ended = () => void (begun.endedMs = stopwatchMs());
    begun.answer.then(ended, ended);
    last = begun;
    return begun.answer;
  }

  return Object.assign(
    (maxAgeMs: number) => (last === undefined || isDue(maxAgeMs) ? begin() : last.answer),
    { isDue },
  );
}

import { SECOND_MS, type Clock } from '../../lib/clock.js';

/** Maximum age of a value: a store is read at most once in this time, however many clients scrape. */
const FRESH_MS = SECOND_MS;

/** Returns the value of `look`, at most FRESH_MS old. Concurrent callers wait for the same value. */
export function recentLook<T>(look: () => Promise<T>, clock: Clock): () => Promise<T> {
  let last: { beganMs: number; answer: Promise<T> } | undefined;
  return () => {
    const nowMs = clock();
    // The clock may be set back.
    if (last === undefined || Math.abs(nowMs - last.beganMs) >= FRESH_MS)
      last = { beganMs: nowMs, answer: look() };
    return last.answer;
  };
}

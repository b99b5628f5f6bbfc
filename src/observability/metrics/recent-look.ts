import { SECOND_MS, type Clock } from '../../lib/clock.js';

/** How old what is told may be: whoever scrapes, a store is asked once in that time. */
const FRESH_MS = SECOND_MS;

/** What `look` says, or said less than a second ago; all who ask meanwhile wait for the same. */
export function recentLook<T>(look: () => Promise<T>, clock: Clock): () => Promise<T> {
  let last: { beganMs: number; answer: Promise<T> } | undefined;
  return () => {
    const nowMs = clock();
    // A clock may be set back.
    if (last === undefined || Math.abs(nowMs - last.beganMs) >= FRESH_MS)
      last = { beganMs: nowMs, answer: look() };
    return last.answer;
  };
}

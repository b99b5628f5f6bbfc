import { setTimeout as sleep } from 'node:timers/promises';

/** Less in a process that tries mutants (Stryker names each): there, what is waited for often never comes. */
const PATIENCE_MS = process.env['STRYKER_MUTATOR_WORKER'] === undefined ? 60_000 : 3_000;
/** What one try takes off the patience at most: a machine that stood still for a minute has not tried meanwhile. */
const LONGEST_TRY_MS = 1000;

/**
 * Asks again and again until the answer is there; for what happens beside requests. The bound is no measurement: it
 * only ends a test that would never end, and a try that takes longer than a second counts as one second.
 * @param what what is waited for; a function is called when it did not come, and can say what was there instead
 */
export async function until<T>(
  what: string | (() => string),
  ask: () => Promise<T | undefined | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  for (let waitedMs = 0; waitedMs < patienceMs;) {
    const begunMs = performance.now();
    const answer = await ask();
    if (answer !== undefined && answer !== false) {
      noteAssertion();
      return answer;
    }
    await sleep(20);
    waitedMs += Math.min(performance.now() - begunMs, LONGEST_TRY_MS);
  }
  throw new Error(`waited in vain for: ${typeof what === 'string' ? what : what()}`);
}

/** To have waited for something is an expectation of its own (must-look.ts). Programs that tests start have no `expect`. */
function noteAssertion(): void {
  if (typeof expect === 'function') expect(true).toBe(true);
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Less in a process that tries mutants (Stryker names each): there, what is waited for often never comes. */
const PATIENCE_MS = process.env['STRYKER_MUTATOR_WORKER'] === undefined ? 15_000 : 3_000;

/**
 * Asks again and again until the answer is there; for what happens beside requests. The bound is no measurement: it
 * only ends a test that would never end.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await sleep(20);
  }
  throw new Error(`waited in vain for: ${what}`);
}

import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 15_000;

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

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a piece of work may hold the event loop, milliseconds. */
const PIECE_MS = 5;

/**
 * Splits long work into pieces. Call the function that it returns after each part of the work, and await it: once the
 * parts have held the event loop for PIECE_MS, other work gets a turn.
 */
export function createPieces(): () => Promise<void> | undefined {
  let sinceMs = performance.now();
  async function giveWay(): Promise<void> {
    await nextTurn();
    sinceMs = performance.now();
  }
  return () => (performance.now() - sinceMs < PIECE_MS ? undefined : giveWay());
}

import { serviceUnavailable } from './errors.js';
import type { KeyTurns } from './key-turns.js';

/**
 * Waits for a turn of `keyId`. Resolves with the function that ends the turn.
 * @param message for the client when the wait times out
 * @throws ApiError service_unavailable when the wait times out
 */
export function takeTurn(turns: KeyTurns, keyId: string, message: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const end: () => void = turns.enter(
      keyId,
      // Deferred, because `enter` may call this before it returns `end`.
      () => queueMicrotask(() => resolve(end)),
      () => reject(serviceUnavailable(message)),
    );
  });
}

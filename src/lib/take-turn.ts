import { serviceUnavailable } from './errors.js';
import type { KeyTurns } from './key-turns.js';

/**
 * Waits for a turn of `keyId`. Resolves to the function that ends the turn.
 * @param message for the client that waited in vain
 * @throws ApiError service_unavailable when the wait was too long
 */
export function takeTurn(turns: KeyTurns, keyId: string, message: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const end: () => void = turns.enter(
      keyId,
      // `enter` may call this before it returns.
      () => queueMicrotask(() => resolve(end)),
      () => reject(serviceUnavailable(message)),
    );
  });
}

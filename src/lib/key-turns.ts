import { serviceUnavailable } from './errors.js';

export interface KeyTurns {
  /** The number of requests of the key that are in progress or wait. */
  countOf(keyId: string): number;
  /**
   * Calls `begin` when the request's turn comes, which is at once while the key has room, or `giveUp` after
   * `maxWaitMs`. The returned function ends the turn or the wait; a second call does nothing.
   */
  enter(keyId: string, begin: () => void, giveUp: () => void): () => void;
}

interface Turn {
  isUnderWay: boolean;
  begin: () => void;
  patience?: NodeJS.Timeout;
}

interface Key {
  underWay: number;
  /** In order of arrival. */
  waiting: Set<Turn>;
}

/**
 * Limits each key to `maxUnderWay` concurrent requests. Further requests of the key wait for each other; requests of
 * other keys never wait for them. This bounds how much one key can slow down the others, however fast it sends.
 */
export function createKeyTurns(maxUnderWay: number, maxWaitMs: number): KeyTurns {
  const keys = new Map<string, Key>();

  function keyOf(keyId: string): Key {
    let key = keys.get(keyId);
    if (key === undefined) keys.set(keyId, (key = { underWay: 0, waiting: new Set() }));
    return key;
  }

  function beginTurn(key: Key, turn: Turn): void {
    key.underWay += 1;
    turn.isUnderWay = true;
    turn.begin();
  }

  function endTurn(keyId: string, key: Key, turn: Turn): void {
    const wasUnderWay = turn.isUnderWay;
    turn.isUnderWay = false;
    clearTimeout(turn.patience);
    key.waiting.delete(turn);
    if (!wasUnderWay) return;
    key.underWay -= 1;
    const [next] = key.waiting;
    if (next === undefined) {
      if (key.underWay === 0) keys.delete(keyId);
      return;
    }
    key.waiting.delete(next);
    clearTimeout(next.patience);
    beginTurn(key, next);
  }

  return {
    countOf(keyId) {
      const key = keys.get(keyId);
      return key === undefined ? 0 : key.underWay + key.waiting.size;
    },
    enter(keyId, begin, giveUp) {
      const key = keyOf(keyId);
      const turn: Turn = { isUnderWay: false, begin };
      if (key.underWay < maxUnderWay) beginTurn(key, turn);
      else {
        key.waiting.add(turn);
        turn.patience = setTimeout(() => {
          endTurn(keyId, key, turn);
          giveUp();
        }, maxWaitMs).unref();
      }
      return () => endTurn(keyId, key, turn);
    },
  };
}

/** Runs `run` in a turn of `keyId`. @throws as `takeTurn`; errors of `run` */
export async function inTurn<T>(
  turns: KeyTurns,
  keyId: string,
  message: string,
  run: () => Promise<T>,
): Promise<T> {
  const endTurn = await takeTurn(turns, keyId, message);
  try {
    return await run();
  } finally {
    endTurn();
  }
}

/**
 * Waits for a turn of `keyId`. Resolves with the function that ends the turn.
 * @param message for the client when the wait times out
 * @param signal ends the wait, or the turn if it has begun
 * @throws ApiError service_unavailable when the wait times out; the reason of `signal`
 */
export function takeTurn(
  turns: KeyTurns,
  keyId: string,
  message: string,
  signal?: AbortSignal,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const end: () => void = turns.enter(
      keyId,
      // Deferred, because `enter` may call this before it returns `end`.
      () => queueMicrotask(() => resolve(end)),
      () => reject(serviceUnavailable(message)),
    );
    signal?.addEventListener('abort', () => {
      end();
      reject(signal.reason as Error);
    });
  });
}

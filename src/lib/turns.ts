import { serviceUnavailable } from './errors.js';

export interface Turns {
  /**
   * Calls `begin` when the request's turn comes, which is at once while the holder has room, or `giveUp`
   * after `maxWaitMs`. The returned function ends the turn or the wait; a second call does nothing.
   */
  enter(holder: string, begin: () => void, giveUp: () => void): () => void;
}

interface Turn {
  isUnderWay: boolean;
  begin: () => void;
  patience?: NodeJS.Timeout;
}

interface Queue {
  underWay: number;
  /** In order of arrival. */
  waiting: Set<Turn>;
}

/**
 * Limits each holder, such as a key or a project, to `maxUnderWay` concurrent requests. Further requests of the holder
 * wait for each other; requests of other holders never wait for them. This bounds how much one holder can slow down the
 * others, however fast it sends.
 */
export function createTurns(maxUnderWay: number, maxWaitMs: number): Turns {
  const queues = new Map<string, Queue>();

  function queueOf(holder: string): Queue {
    let queue = queues.get(holder);
    if (queue === undefined) queues.set(holder, (queue = { underWay: 0, waiting: new Set() }));
    return queue;
  }

  function beginTurn(queue: Queue, turn: Turn): void {
    queue.underWay += 1;
    turn.isUnderWay = true;
    turn.begin();
  }

  function endTurn(holder: string, queue: Queue, turn: Turn): void {
    const wasUnderWay = turn.isUnderWay;
    turn.isUnderWay = false;
    clearTimeout(turn.patience);
    queue.waiting.delete(turn);
    if (!wasUnderWay) return;
    queue.underWay -= 1;
    const [next] = queue.waiting;
    if (next === undefined) {
      if (queue.underWay === 0) queues.delete(holder);
      return;
    }
    queue.waiting.delete(next);
    clearTimeout(next.patience);
    beginTurn(queue, next);
  }

  return {
    enter(holder, begin, giveUp) {
      const queue = queueOf(holder);
      const turn: Turn = { isUnderWay: false, begin };
      if (queue.underWay < maxUnderWay) beginTurn(queue, turn);
      else {
        queue.waiting.add(turn);
        turn.patience = setTimeout(() => {
          endTurn(holder, queue, turn);
          giveUp();
        }, maxWaitMs).unref();
      }
      return () => endTurn(holder, queue, turn);
    },
  };
}

/** Runs `run` in a turn of `holder`. @throws as `takeTurn`; errors of `run` */
export async function inTurn<T>(
  turns: Turns,
  holder: string,
  message: string,
  run: () => Promise<T>,
): Promise<T> {
  const endTurn = await takeTurn(turns, holder, message);
  try {
    return await run();
  } finally {
    endTurn();
  }
}

/**
 * Waits for a turn of `holder`. Resolves with the function that ends the turn.
 * @param message for the client when the wait times out
 * @param signal ends the wait, or the turn if it has begun
 * @throws ApiError service_unavailable when the wait times out; the reason of `signal`
 */
export function takeTurn(
  turns: Turns,
  holder: string,
  message: string,
  signal?: AbortSignal,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const end: () => void = turns.enter(
      holder,
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

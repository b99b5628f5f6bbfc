export class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

const PARTS = 4;

/**
 * The answer, if it comes in time; a late one is dropped. A stall of this process is not held against who is asked: it
 * spoils one part of the time, the other parts are waited out, and what has arrived meanwhile is read before it is late.
 * @throws TimeoutError, and what `answer` throws
 */
export function withTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (parts: number): void => {
      timer = setTimeout(() => {
        if (parts > 1) wait(parts - 1);
        else setImmediate(() => reject(new TimeoutError(timeoutMs)));
      }, timeoutMs / PARTS).unref();
    };
    wait(PARTS);
    void answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

const PARTS = 4;

/**
 * Resolves with the result of `answer` if it arrives in time. A late result is dropped. A stall of this process does
 * not count as a timeout of `answer`: a stall uses up one of the four parts of the time, the process waits for the
 * other parts, and it reads results that have arrived before it gives up.
 * @throws TimeoutError; errors of `answer`
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

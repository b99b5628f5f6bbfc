export interface BatchWriter {
  /** Starts to write every `intervalMs`. */
  start(): void;
  /** Writes the gathered data, after any write in progress. Never rejects. */
  flush(): Promise<void>;
  /** Stops the timer and flushes. */
  close(): Promise<void>;
  /** Stops the timer and drops the gathered data, because the store is lost. */
  abandon(): void;
}

/** Which of the gathered data to write: all of it, or the part that has waited long. */
export type HowMuch = 'all' | 'due';

/**
 * Writes data that requests gather in memory, so that no request waits for the write. Writes every `intervalMs` after
 * `start`, one write at a time.
 * @param write writes the gathered data; if it fails, it keeps the unwritten data for the next write and throws. At each
 * interval, it may leave data that is not due; `flush` and `close` write all
 * @param onError receives the errors of `write`
 */
export function createBatchWriter(
  write: (howMuch: HowMuch) => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): BatchWriter {
  let writing: Promise<void> = Promise.resolve();
  const run = (howMuch: HowMuch) => (writing = writing.then(() => write(howMuch)).catch(onError));
  const flush = () => run('all');
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      timer ??= setInterval(() => void run('due'), intervalMs).unref();
    },
    flush,
    abandon: () => clearInterval(timer),
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

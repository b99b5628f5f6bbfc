export interface BatchWriter {
  /** Starts to write every `intervalMs`. */
  start(): void;
  /** Writes what was gathered, after any write that is under way. Never rejects. */
  flush(): Promise<void>;
  /** Ends the timer and flushes. */
  close(): Promise<void>;
  /** Ends the timer; what was gathered is lost with the store. */
  abandon(): void;
}

/**
 * Writes what requests gather in memory, so that no request waits for the write: every `intervalMs`
 * after `start`, one write at a time.
 * @param write takes what was gathered; what it could not write it gathers for the next time, and throws
 * @param onError told of what `write` throws
 */
export function createBatchWriter(
  write: () => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): BatchWriter {
  let writing: Promise<void> = Promise.resolve();
  const flush = () => (writing = writing.then(write).catch(onError));
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      timer ??= setInterval(() => void flush(), intervalMs).unref();
    },
    flush,
    abandon: () => clearInterval(timer),
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

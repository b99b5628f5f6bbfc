import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Where a logger writes its lines. */
export interface LogStream {
  /**
   * Takes a line that ends with a line feed, and never waits for the reader.
   * @param canWait whether the line may wait up to GATHER_MS for further lines, in place of a write of its own
   */
  write: (line: string, canWait: boolean) => void;
  /** The number of lines that were dropped because the reader did not take them. */
  dropped: () => number;
}

/** Maximum number of bytes that wait for the reader. Further lines are dropped. */
const MOST_WAITING = 2 * 1024 * 1024;
const GATHER_MS = 10;
const GATHER_BYTES = 16 * 1024;
/** When to try again, milliseconds: a reader that is behind, and one that is gone or a disk that is full. */
const RETRY_BEHIND_MS = 50;
const RETRY_FAILED_MS = 1000;
/** How long the end of the process waits for a reader that is behind, milliseconds. */
const LAST_WRITE_MS = 1000;
/** PIPE_BUF of Linux: a pipe takes up to this number of bytes whole or not at all (pipe(7)). */
const WHOLE_BYTES = 4096;
const LINE_FEED = 10;

type Written = 'all' | 'behind' | 'failed';

/**
 * Writes lines to standard error in order, without ever waiting for its reader while the process runs. The end of the
 * process waits for the reader for up to LAST_WRITE_MS. Once the reader takes lines again after some were dropped, it
 * gets a line with their number in their place.
 * @param renderDropped the line that says how many lines were dropped
 */
export function openLogStream(renderDropped: (lines: number) => string): LogStream {
  const { fd, mostAtOnce, prepare } = openStderr();
  const waiting = Buffer.allocUnsafe(MOST_WAITING);
  let start = 0;
  let end = 0;
  let dropped = 0;
  let unreported = 0;
  let timer: NodeJS.Timeout | undefined;
  let isRetry = false;

  function append(line: string): boolean {
    const length = Buffer.byteLength(line);
    if (end - start + length > MOST_WAITING) return false;
    if (end + length > MOST_WAITING) {
      waiting.copyWithin(0, start, end);
      end -= start;
      start = 0;
    }
    end += waiting.write(line, end);
    return true;
  }

  /** Whole lines where they fit, so that lines of several processes do not mix in one pipe. */
  function nextLength(): number {
    const length = end - start;
    if (length <= mostAtOnce) return length;
    const lastEnd = waiting.lastIndexOf(LINE_FEED, start + mostAtOnce - 1);
    return lastEnd < start ? mostAtOnce : lastEnd + 1 - start;
  }

  function tryToWrite(): Written {
    try {
      prepare?.();
      for (;;) {
        while (start < end) start += writeSync(fd, waiting, start, nextLength());
        start = end = 0;
        if (unreported === 0) return 'all';
        append(renderDropped(unreported));
        unreported = 0;
      }
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'behind' : 'failed';
    }
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(flush, ms).unref();
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const written = tryToWrite();
    isRetry = written !== 'all';
    if (isRetry) wait(written === 'behind' ? RETRY_BEHIND_MS : RETRY_FAILED_MS);
  }

  process.on('exit', () => {
    const deadline = performance.now() + LAST_WRITE_MS;
    while (tryToWrite() === 'behind' && performance.now() < deadline) sleepSync(GATHER_MS);
  });

  return {
    write(line, canWait) {
      // Once lines are dropped, all are until the reader has caught up: so there is one gap, and one line about it.
      if (unreported > 0 || !append(line)) {
        dropped += 1;
        unreported += 1;
      }
      if (isRetry) return;
      if (!canWait || end - start >= GATHER_BYTES) flush();
      else if (timer === undefined) wait(GATHER_MS);
    },
    dropped: () => dropped,
  };
}

interface Target {
  fd: number;
  /** Maximum number of bytes of one write. */
  mostAtOnce: number;
  /** To be called before writing. */
  prepare?: () => void;
}

/**
 * Standard error, so that a write fails with `EAGAIN` where it would wait. The flag O_NONBLOCK belongs to the open file
 * that processes share when they inherit standard error, and the start of a process resets it. So a pipe or a terminal
 * is opened a second time. That fails for a socket and for another user's pipe: they get the flag before each write.
 */
function openStderr(): Target {
  const { fd } = process.stderr;
  const stat = fstatSync(fd);
  const mostAtOnce = stat.isFIFO() ? WHOLE_BYTES : Infinity;
  // A regular file never blocks, and opened again it would be written from its beginning.
  if (stat.isFile()) return { fd, mostAtOnce };
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return { fd: openSync('/proc/self/fd/2', O_WRONLY | O_NONBLOCK | O_NOCTTY), mostAtOnce };
  } catch {
    const { _handle: handle } = process.stderr as { _handle?: { setBlocking?: (blocks: boolean) => void } };
    return { fd, mostAtOnce, prepare: () => handle?.setBlocking?.(false) };
  }
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

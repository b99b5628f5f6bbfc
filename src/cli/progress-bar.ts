/** How far a step has come. */
export interface Progress {
  doneBytes: number;
  totalBytes: number;
  /** Bytes that were done before this run. */
  startBytes: number;
  elapsedMs: number;
}

export interface ProgressBar {
  update: (doneBytes: number) => void;
  /** Removes the bar. May be called more than once. */
  stop: () => void;
}

const WIDTH = 24;
const REDRAW_MS = 100;
/** Before this time, the remaining time is not known well enough. */
const ESTIMATE_AFTER_MS = 1000;
const CLEAR_LINE = '\r\x1b[2K';

/** Draws on standard error, and only if that is a terminal. */
export function progressBar(what: string, totalBytes: number): ProgressBar {
  const beganMs = performance.now();
  let startBytes: number | undefined;
  let doneBytes = 0;
  let drawnMs: number | undefined;
  const draw = () => {
    drawnMs = performance.now();
    const progress = { doneBytes, totalBytes, startBytes: startBytes ?? 0, elapsedMs: drawnMs - beganMs };
    process.stderr.write(`${CLEAR_LINE}${what} ${renderProgress(progress)}`);
  };
  return {
    update(bytes) {
      startBytes ??= bytes;
      // Parts finish in any order, so an update may be lower than an earlier one.
      doneBytes = Math.max(doneBytes, bytes);
      if (!process.stderr.isTTY) return;
      if (drawnMs === undefined || performance.now() - drawnMs >= REDRAW_MS) draw();
    },
    stop() {
      if (drawnMs !== undefined) process.stderr.write(CLEAR_LINE);
      drawnMs = undefined;
    },
  };
}

/** `██████░░░░  42 % · 3 s left`, without the time until it can be estimated. */
export function renderProgress({ doneBytes, totalBytes, startBytes, elapsedMs }: Progress): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, doneBytes / totalBytes);
  const filled = Math.round(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const doneNow = doneBytes - startBytes;
  if (elapsedMs < ESTIMATE_AFTER_MS || doneNow <= 0 || doneBytes >= totalBytes) return `${bar} ${percent}`;
  const leftMs = (elapsedMs / doneNow) * (totalBytes - doneBytes);
  return `${bar} ${percent} · ${duration(leftMs)} left`;
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

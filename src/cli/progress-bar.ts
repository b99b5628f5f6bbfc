import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  update: (bytes: number) => void;
  /** May be called more than once. */
  stop: () => void;
}

/** Draws on stderr, and only if stderr is a terminal. */
export function progressBar(what: string, totalBytes: number): ProgressBar {
  const bar = new SingleBar(
    {
      format: `${what} {bar} {percentage} % · {eta_formatted} left`,
      hideCursor: true,
      noTTYOutput: false,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  bar.start(totalBytes, 0);
  let doneBytes = 0;
  return {
    update(bytes) {
      // Parts finish in any order, so an update may be lower than an earlier one.
      doneBytes = Math.max(doneBytes, bytes);
      bar.update(doneBytes);
    },
    stop: () => bar.stop(),
  };
}

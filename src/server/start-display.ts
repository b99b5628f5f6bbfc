import type { Download } from '../platform/mongod/mongod-source.js';
import type { Logger } from '../lib/logger.js';

export interface StartDisplay {
  /** For what the start reports. On a terminal it passes on warnings only, because the display shows the rest. */
  log: Logger;
  /** Names what the start does now. */
  step: (text: string) => void;
  download: (download: Download) => void;
  /** Clears the display. May be called more than once. */
  stop: () => void;
}

/** The parts of a terminal that the display uses: process.stderr. */
export interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write: (text: string) => unknown;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const LOG_DOWNLOAD_EVERY_MS = 2000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows what a start does until the gateway is ready: on a terminal one line that changes ten times a second, elsewhere
 * log lines, with one line every two seconds during a download.
 */
export function startDisplay(log: Logger, level: string, terminal: Terminal = process.stderr): StartDisplay {
  return terminal.isTTY === true ? lineDisplay(log, level, terminal) : logDisplay(log);
}

function lineDisplay(log: Logger, level: string, terminal: Terminal): StartDisplay {
  let text = 'Starting';
  let stepStartedAt = Date.now();
  let frame = 0;
  // 0 where the terminal does not know its size.
  const width = terminal.columns === undefined || terminal.columns === 0 ? 80 : terminal.columns;
  let stopped = false;
  const draw = () => {
    const seconds = Math.floor((Date.now() - stepStartedAt) / 1000);
    const line = `${FRAMES[(frame += 1) % FRAMES.length] ?? ''} ${text}${seconds < 2 ? '' : ` (${seconds} s)`}`;
    terminal.write(CLEAR_LINE + line.slice(0, width - 1));
  };
  const timer = setInterval(draw, FRAME_MS).unref();
  draw();
  return {
    log: level === 'info' ? log.child({}, { level: 'warn' }) : log,
    step(next) {
      if (stopped) {
        log.info(next);
        return;
      }
      if (next !== text) stepStartedAt = Date.now();
      text = next;
      draw();
    },
    download(download) {
      text = describeDownload(download);
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      terminal.write(CLEAR_LINE);
    },
  };
}

function logDisplay(log: Logger): StartDisplay {
  let loggedAt = Date.now();
  return {
    log,
    step: (text) => log.info(text),
    download(download) {
      if (Date.now() - loggedAt < LOG_DOWNLOAD_EVERY_MS) return;
      loggedAt = Date.now();
      log.info(describeDownload(download));
    },
    stop: () => undefined,
  };
}

function describeDownload({ bytes, totalBytes, startedAt }: Download): string {
  const seconds = Math.max((Date.now() - startedAt) / 1000, 0.1);
  const megabytes = (count: number) => (count / 1e6).toFixed(count < 1e7 ? 1 : 0);
  return `Downloading MongoDB: ${megabytes(bytes)} of ${megabytes(totalBytes)} MB, ${megabytes(bytes / seconds)} MB/s`;
}

import type { Logger } from '../lib/logger.js';

/** Resolves at the first SIGTERM or SIGINT. The same signal a second time ends the process, as usual. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

/**
 * Makes a stop signal end the process at once until the returned function is called, because a start may hang. An
 * embedded mongod ends with this process, whatever its state.
 */
export function exitUnlessReady(stopped: Promise<NodeJS.Signals>, log: Logger): () => void {
  let ready = false;
  void stopped.then((signal) => {
    if (ready) return;
    log.info({ reason: signal }, 'Stopped before it was ready');
    process.exit(0);
  });
  return () => {
    ready = true;
  };
}

/**
 * Logs an error that nothing caught, and ends the process with exit code 1. Unlike what Node writes by itself, the line
 * has the form of the log and does not wait for a reader that does not read.
 */
export function exitOnCrash(log: Logger): void {
  process.once('uncaughtException', (err) => {
    log.fatal({ err }, 'The gateway ends because of an unexpected error');
    process.exit(1);
  });
}

import type { Logger } from '../lib/logger.js';

/** Resolves at the first SIGTERM or SIGINT; from then on a second one ends the process as usual. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}

/**
 * Until what it answers is called, a stop ends the process at once: what hangs in a start cannot be waited for. An
 * embedded mongod ends with this process, at whatever it was.
 */
export function exitUnlessReady(stopped: Promise<NodeJS.Signals>, log: Logger): () => void {
  let ready = false;
  void stopped.then((signal) => {
    if (ready) return;
    log.info({ reason: signal }, 'stopped before it was ready');
    process.exit(0);
  });
  return () => {
    ready = true;
  };
}

import type { SitesService } from './sites-service.js';

export interface SitesWorker {
  /** Resolves when what is under way, if anything, is done. */
  close(): Promise<void>;
}

const INTERVAL_MS = 60 * 60 * 1000;

/**
 * Has every site its certificate made due: at once, for those from before there were any, and every hour, for what went
 * live by a process whose settings know nothing of certificates.
 */
export function startSitesWorker(
  sites: Pick<SitesService, 'certifyAll'>,
  onDone: () => void,
  onError: (error: unknown) => void,
): SitesWorker {
  let working = Promise.resolve();
  const work = () => {
    working = working.then(() => sites.certifyAll()).then(onDone, onError);
  };
  const timer = setInterval(work, INTERVAL_MS).unref();
  work();
  return {
    async close() {
      clearInterval(timer);
      await working;
    },
  };
}

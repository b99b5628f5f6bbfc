import type { PlatformHosts } from './platform-hosts.js';
import { HOUR_MS } from '../../../lib/clock.js';

export interface PlatformHostsJob {
  /** Resolves when the work under way, if any, is done. */
  close(): Promise<void>;
}

const INTERVAL_MS = HOUR_MS;

/**
 * Makes the first certificate of every site due: at once, for sites published before certificates existed, and every
 * hour, for sites published by a process whose settings have no certificates.
 */
export function startPlatformHostsJob(
  platformHosts: Pick<PlatformHosts, 'certifyAll'>,
  onDone: () => void,
  onError: (error: unknown) => void,
): PlatformHostsJob {
  let working = Promise.resolve();
  const work = () => {
    working = working.then(() => platformHosts.certifyAll()).then(onDone, onError);
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

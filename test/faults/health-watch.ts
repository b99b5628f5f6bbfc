import { setTimeout as sleep } from 'node:timers/promises';
import { readinessOf, type ReadinessAnswer } from '../support/readiness.js';

export interface Look {
  /** When it was answered, of `performance.now()`. */
  atMs: number;
  tookMs: number;
  status: number;
  /** Of /health/ready. */
  checks: Record<string, string>;
}

export interface HealthWatch {
  live: readonly Look[];
  ready: readonly Look[];
  stop: () => Promise<void>;
}

const PAUSE_MS = 100;
/** A probe of an orchestrator would have given up long before. */
const GIVE_UP_MS = 60_000;

/**
 * Asks both health paths again and again, as an orchestrator does, and as an admin reads the checks.
 * @param url of a gateway with the settings WITH_CHECKS
 */
export function watchHealth(url: string): HealthWatch {
  let stopped = false;
  const inTime = () => AbortSignal.timeout(GIVE_UP_MS);
  const live: Look[] = [];
  const ready: Look[] = [];

  async function follow(ask: () => Promise<ReadinessAnswer>, looks: Look[]): Promise<void> {
    while (!stopped) {
      const askedMs = performance.now();
      const { status, checks } = await ask();
      const atMs = performance.now();
      looks.push({ atMs, tookMs: atMs - askedMs, status, checks });
      await sleep(PAUSE_MS);
    }
  }

  const following = Promise.allSettled([
    follow(async () => {
      const { status } = await fetch(`${url}/health/live`, { signal: inTime() });
      return { status, checks: {} };
    }, live),
    follow(() => readinessOf(url, undefined, inTime()), ready),
  ]);
  return {
    live,
    ready,
    async stop() {
      stopped = true;
      for (const outcome of await following) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

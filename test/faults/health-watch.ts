import { setTimeout as sleep } from 'node:timers/promises';

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

/** Asks both health paths again and again, as an orchestrator does. */
export function watchHealth(url: string): HealthWatch {
  let stopped = false;
  const live: Look[] = [];
  const ready: Look[] = [];

  async function follow(path: string, looks: Look[]): Promise<void> {
    while (!stopped) {
      const askedMs = performance.now();
      const answer = await fetch(url + path, { signal: AbortSignal.timeout(GIVE_UP_MS) });
      const { checks = {} } = (await answer.json()) as Partial<Look>;
      const atMs = performance.now();
      looks.push({ atMs, tookMs: atMs - askedMs, status: answer.status, checks });
      await sleep(PAUSE_MS);
    }
  }

  const following = Promise.allSettled([follow('/health/live', live), follow('/health/ready', ready)]);
  return {
    live,
    ready,
    async stop() {
      stopped = true;
      for (const outcome of await following) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

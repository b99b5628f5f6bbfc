import type { Clock } from '../../../lib/clock.js';
import { advanceDomain, type AdvanceParts } from './advance-domain.js';
import type { Claim } from './domains-store.js';

export interface DomainsWorker {
  /** Starts work now: a caller of this process chose Verify. */
  wake(): void;
  /** Resolves when the steps under way are done. */
  close(): Promise<void>;
}

export interface WorkerSettings {
  /** How long a step can take before another worker takes it again, in milliseconds. */
  leaseMs: number;
  /** The longest sleep, because callers can choose Verify at other processes too. In milliseconds. */
  sleepMs: number;
}

/** Steps wait for DNS and for the authority. Several run at once so that a slow step does not block the others. */
const AT_ONCE = 8;

/**
 * Takes due steps from the store, each under a lease. Every gateway runs such a worker, and no two take the same step.
 * All state is in the store, so when a worker is killed, another continues after the lease expires.
 */
export function startDomainsWorker(
  parts: AdvanceParts,
  { leaseMs, sleepMs }: WorkerSettings,
  onError: (error: unknown, domainId?: string) => void,
): DomainsWorker {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let wakes = 0;

  function wake(): void {
    wakes += 1;
    if (closed || working !== undefined) return;
    clearTimeout(timer);
    working = work().finally(() => {
      working = undefined;
      if (!closed) void sleep();
    });
  }

  async function work(): Promise<void> {
    try {
      let seen: number;
      do {
        seen = wakes;
        await Promise.all(Array.from({ length: AT_ONCE }, drain));
      } while (!closed && seen !== wakes);
    } catch (error) {
      onError(error);
    }
  }

  async function drain(): Promise<void> {
    while (!closed && (await takeStep()));
  }

  /** Returns false if nothing is due. */
  async function takeStep(): Promise<boolean> {
    const claim = await parts.domains.claimDue(new Date(parts.clock()), leaseMs);
    if (claim !== undefined) await advance(claim);
    return claim !== undefined;
  }

  async function advance(claim: Claim): Promise<void> {
    try {
      await advanceDomain(claim, parts);
    } catch (error) {
      // The domain stays claimed until its lease expires, and is retried then.
      onError(error, claim.domain.id);
    }
  }

  async function sleep(): Promise<void> {
    const dueInMs = await untilDueMs(parts.clock).catch(() => sleepMs);
    if (closed || working !== undefined) return;
    timer = setTimeout(wake, Math.min(sleepMs, Math.max(0, dueInMs))).unref();
  }

  async function untilDueMs(clock: Clock): Promise<number> {
    const dueAt = await parts.domains.nextDueAt();
    return dueAt === undefined ? Infinity : dueAt.getTime() - clock();
  }

  wake();
  return {
    wake,
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
}

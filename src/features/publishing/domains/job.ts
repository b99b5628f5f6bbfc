import type { Clock } from '../../../lib/clock.js';
import { advanceDomain, type AdvanceParts } from './advance-domain.js';
import type { Claim } from './domains-store.js';

export interface DomainsWorker {
  /** There may be something to do: somebody chose Verify here. */
  wake(): void;
  /** Resolves when the step under way, if any, is done. */
  close(): Promise<void>;
}

export interface WorkerSettings {
  /** How long a step may take before another worker takes it again, milliseconds. */
  leaseMs: number;
  /** How long it sleeps at most: other processes choose Verify too. Milliseconds. */
  sleepMs: number;
}

/** Steps wait for DNS and for the authority, and one that waits long should hold up nobody. */
const AT_ONCE = 8;

/**
 * Takes what is due from the store, step by step, by a lease: every gateway has such a worker, and none does what
 * another one does. All that is known is in the store, so one that is killed is missed for as long as its lease.
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

  /** False when nothing is due. */
  async function takeStep(): Promise<boolean> {
    const claim = await parts.domains.claimDue(new Date(parts.clock()), leaseMs);
    if (claim !== undefined) await advance(claim);
    return claim !== undefined;
  }

  async function advance(claim: Claim): Promise<void> {
    try {
      await advanceDomain(claim, parts);
    } catch (error) {
      // It stays claimed until its lease ends, and is tried again then.
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

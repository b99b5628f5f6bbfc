import { advanceDomain, type AdvanceParts } from './advance-domain.js';
import type { Able, Claim } from './domains-store.js';

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

/** Steps mostly wait for DNS and for the authority, and need little processor time. */
const SLOTS = 16;
/**
 * The slots that one project can have. A customer's name servers decide how long a step waits, and must not make other
 * customers wait.
 */
const SLOTS_OF_A_PROJECT = 2;

/**
 * Takes due steps from the store, each under a lease, and fills each slot again as soon as its step ends. Every gateway
 * runs such a worker, and no two take the same step. All state is in the store, so when a worker is killed, another
 * continues after the lease expires.
 */
export function startDomainsWorker(
  parts: AdvanceParts,
  { leaseMs, sleepMs }: WorkerSettings,
  onError: (error: unknown, domainId?: string) => void,
): DomainsWorker {
  const { domains, keyRing, clock } = parts;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let wakes = 0;
  let filling: Promise<void> | undefined;
  /** The steps under way, with their projects. */
  const steps = new Map<Promise<void>, string>();

  function wake(): void {
    wakes += 1;
    if (closed || filling !== undefined) return;
    clearTimeout(timer);
    const seen = wakes;
    filling = fillSlots().then((restMs) => {
      filling = undefined;
      if (seen !== wakes) wake();
      else if (!closed) timer = setTimeout(wake, restMs).unref();
    });
  }

  /** Returns how long to sleep, in milliseconds. */
  async function fillSlots(): Promise<number> {
    try {
      while (!closed && steps.size < SLOTS) {
        const able = { exceptProjects: projectsWithTheirShare(), keyIds: keyRing?.keyIds };
        const claim = await domains.claimDue(new Date(clock()), leaseMs, able);
        if (claim === undefined) return await untilDueMs(able);
        begin(claim);
      }
    } catch (error) {
      onError(error);
    }
    // The end of a step wakes the worker earlier.
    return sleepMs;
  }

  function projectsWithTheirShare(): string[] {
    const projects = [...steps.values()];
    return [...new Set(projects)].filter(
      (project) => projects.filter((other) => other === project).length >= SLOTS_OF_A_PROJECT,
    );
  }

  async function untilDueMs(able: Able): Promise<number> {
    const dueAt = await domains.nextDueAt(able);
    const dueInMs = dueAt === undefined ? Infinity : dueAt.getTime() - clock();
    return Math.min(sleepMs, Math.max(0, dueInMs));
  }

  function begin(claim: Claim): void {
    const step = advance(claim).finally(() => {
      steps.delete(step);
      wake();
    });
    steps.set(step, claim.domain.projectId);
  }

  async function advance(claim: Claim): Promise<void> {
    try {
      await advanceDomain(claim, parts);
    } catch (error) {
      // The domain stays claimed until its lease expires, and is retried then.
      onError(error, claim.domain.id);
    }
  }

  wake();
  return {
    wake,
    async close() {
      closed = true;
      clearTimeout(timer);
      await filling;
      await Promise.all(steps.keys());
    },
  };
}

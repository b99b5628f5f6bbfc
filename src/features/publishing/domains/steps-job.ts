import type { Able, Claim } from './domains-store.js';
import { takeStep, type StepParts } from './steps.js';

export interface StepsJob {
  /** Starts work now: a caller of this process chose Verify. */
  wake(): void;
  /** Resolves when the steps under way are done. */
  close(): Promise<void>;
}

export interface StepsJobSettings {
  /** How long a step can take before another process takes it again, in milliseconds. */
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
/** The slots for checks that nobody asked for. Name servers of many customers may have gone silent for good. */
const WATCH_SLOTS = 4;

/**
 * Takes due steps from the store, each under a lease, and fills each slot again as soon as its step ends. Every gateway
 * runs this job, and no two take the same step. All state is in the store, so when a process is killed, another
 * continues after the lease expires.
 */
export function startStepsJob(
  parts: StepParts,
  { leaseMs, sleepMs }: StepsJobSettings,
  onError: (error: unknown, domainId?: string) => void,
): StepsJob {
  const { domains, keyRing, clock } = parts;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let wakes = 0;
  let filling: Promise<void> | undefined;
  /** The steps under way. */
  const steps = new Map<Promise<void>, { projectId: string; isWatch: boolean }>();

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
        const kinds = ableKinds();
        const claim = await claimOneOf(kinds);
        if (claim === undefined) return await untilDueMs(kinds);
        begin(claim);
      }
    } catch (error) {
      onError(error);
    }
    // The end of a step wakes the job earlier.
    return sleepMs;
  }

  /** The kinds of work that this process can take now, the most urgent first. */
  function ableKinds(): Able[] {
    const watches = [...steps.values()].filter(({ isWatch }) => isWatch);
    return [
      { exceptProjects: projectsWith(SLOTS_OF_A_PROJECT), keyIds: keyRing?.keyIds },
      // One slot of a project at most, so that the other one stays free for what the project asks for.
      ...(watches.length < WATCH_SLOTS ? [{ work: 'watch', exceptProjects: projectsWith(1) } as const] : []),
    ];
  }

  async function claimOneOf(kinds: readonly Able[]): Promise<Claim | undefined> {
    for (const able of kinds) {
      const claim = await domains.claimDue(new Date(clock()), leaseMs, able);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }

  /** The projects that have this many steps under way, or more. */
  function projectsWith(share: number): string[] {
    const projects = [...steps.values()].map(({ projectId }) => projectId);
    return [...new Set(projects)].filter(
      (project) => projects.filter((other) => other === project).length >= share,
    );
  }

  async function untilDueMs(kinds: readonly Able[]): Promise<number> {
    const times = await Promise.all(kinds.map((able) => domains.nextDueAt(able)));
    const dueInMs = times.map((dueAt) => (dueAt === undefined ? Infinity : dueAt.getTime() - clock()));
    return Math.min(sleepMs, Math.max(0, Math.min(...dueInMs)));
  }

  function begin(claim: Claim): void {
    const step = take(claim).finally(() => {
      steps.delete(step);
      wake();
    });
    steps.set(step, { projectId: claim.domain.projectId, isWatch: claim.isWatch });
  }

  async function take(claim: Claim): Promise<void> {
    try {
      await takeStep(claim, parts);
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

import { MINUTE_MS, SECOND_MS, type Clock } from '../lib/clock.js';
import type { ProjectRemovals } from '../projects/project-removals.js';

/** What becomes of deleted projects: every gateway works on it, and all that is known is in the store. */
export interface Removals {
  /** Removes what is due now. */
  removeDue(): Promise<void>;
  /** Does so from now on: what serves does, a command does not. */
  startWorker(): void;
  /** There may be something to do. */
  wake(): void;
  /** Resolves when what is under way, if anything, is done. */
  close(): Promise<void>;
}

export interface RemovalsParts {
  removals: ProjectRemovals;
  removeProject: (projectId: string) => Promise<void>;
  /** The bytes of files go later than the deploys that listed them. */
  removeUnlistedBlobs: () => Promise<void>;
  onError: (error: unknown) => void;
  clock: Clock;
}

/** After this long nothing is written any more for a project that was deleted: usage waits in memory, requests end. */
export const SETTLED_MS = 10 * MINUTE_MS;
/** A process that is killed is missed for so long. Longer work is joined by others, which does no harm. */
export const LEASE_MS = MINUTE_MS;
const INTERVAL_MS = 10 * SECOND_MS;

/** Twice for each: at once, and when all is settled; then its record goes too. */
export function createRemovals(parts: RemovalsParts): Removals {
  const { removals, removeProject, removeUnlistedBlobs, onError, clock } = parts;
  let working = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function removeDue(): Promise<void> {
    for (;;) {
      const now = clock();
      const due = await removals.claim(new Date(now), LEASE_MS);
      if (due === undefined) return;
      const { projectId, deletedAt } = due;
      await removeProject(projectId);
      const settledAt = deletedAt.getTime() + SETTLED_MS;
      if (now < settledAt) await removals.postpone(projectId, new Date(settledAt));
      else await removals.finish(projectId);
    }
  }

  function work(): void {
    working = working.then(removeDue).then(removeUnlistedBlobs).catch(onError);
  }

  return {
    removeDue,
    startWorker() {
      timer ??= setInterval(work, INTERVAL_MS).unref();
      work();
    },
    wake() {
      if (timer !== undefined) work();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      await working;
    },
  };
}

import { MINUTE_MS, SECOND_MS, type Clock } from '../../lib/clock.js';
import type { ProjectRemovals } from '../projects/project-removals.js';
import type { RemoveProject } from './remove-project.js';

/** What becomes of deleted projects: every gateway works on it, and all that is known is in the store. */
export interface Removals {
  /** Removes what is due now. @throws the reason of its stop when it is closed meanwhile */
  removeDue(): Promise<void>;
  /** Does so from now on. */
  startWorker(): void;
  /** There may be something to do. */
  wake(): void;
  /** Claims nothing more, and resolves when the part of a removal that is under way, if any, is done. */
  close(): Promise<void>;
}

export interface RemovalsParts {
  removals: ProjectRemovals;
  removeProject: RemoveProject;
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
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  let isAsked = false;
  let timer: NodeJS.Timeout | undefined;

  async function removeDue(): Promise<void> {
    for (;;) {
      stop.signal.throwIfAborted();
      const now = clock();
      const due = await removals.claim(new Date(now), LEASE_MS);
      if (due === undefined) return;
      const { projectId, deletedAt } = due;
      await removeProject(projectId, stop.signal);
      const settledAt = deletedAt.getTime() + SETTLED_MS;
      if (now < settledAt) await removals.postpone(projectId, new Date(settledAt));
      else await removals.finish(projectId);
    }
  }

  async function workWhileAsked(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await removeDue()
        .then(removeUnlistedBlobs)
        .catch((error: unknown) => {
          if (error !== stop.signal.reason) onError(error);
        });
    }
    working = undefined;
  }

  function work(): void {
    isAsked = true;
    working ??= workWhileAsked();
  }

  return {
    removeDue,
    startWorker() {
      timer ??= setInterval(() => {
        if (working === undefined) work();
      }, INTERVAL_MS).unref();
      work();
    },
    wake() {
      if (timer !== undefined) work();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      isAsked = false;
      stop.abort();
      await working;
    },
  };
}

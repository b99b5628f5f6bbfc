import { MINUTE_MS, SECOND_MS, type Clock } from '../../lib/clock.js';
import type { ProjectRemovals } from '../projects/project-removals.js';
import type { RemoveProject } from './remove-project.js';

/** Removes the data of deleted projects. Every gateway takes part, and all state is in the store. */
export interface Removals {
  /** Removes the data of all projects that are due now. @throws the abort reason if it is closed in the meantime */
  removeDue(): Promise<void>;
  /** Starts the background job. */
  startJob(): void;
  /** Runs the job now, because there may be work. */
  wake(): void;
  /** Stops claiming, and resolves when the part of a removal under way, if any, is done. */
  close(): Promise<void>;
}

export interface RemovalsParts {
  removals: ProjectRemovals;
  removeProject: RemoveProject;
  onError: (error: unknown) => void;
  clock: Clock;
}

/** After this time, no process writes for a deleted project: pending usage has been written and requests have ended. */
export const SETTLED_MS = 10 * MINUTE_MS;
/**
 * When a process is killed, another takes over after this time. If a removal takes longer, other processes join it,
 * which is harmless.
 */
export const LEASE_MS = MINUTE_MS;
const INTERVAL_MS = 10 * SECOND_MS;

/** Removes each project's data twice: at once, and after SETTLED_MS, together with its record. */
export function createRemovals(parts: RemovalsParts): Removals {
  const { removals, removeProject, onError, clock } = parts;
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
      const { projectId, deletedAt, pets } = due;
      await removeProject(projectId, pets, stop.signal);
      const settledAt = deletedAt.getTime() + SETTLED_MS;
      if (now < settledAt) await removals.postpone(projectId, new Date(settledAt));
      else await removals.finish(projectId);
    }
  }

  async function workWhileAsked(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await removeDue().catch((error: unknown) => {
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
    startJob() {
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

import type { Connection } from 'mongoose';

/**
 * A change of the stored data. A step must be idempotent and leave alone what it has already changed: it may run again,
 * in whole or in part, after it was interrupted and while the previous version runs. docs/upgrading.md explains how to
 * write one.
 */
export type MigrationStep = {
  /** 1, 2, 3 …; never reused for another step. */
  id: number;
  name: string;
  /** @param signal aborted once another gateway has taken over; the step checks the signal before each batch */
  run: (connection: Connection, signal: AbortSignal) => Promise<void>;
} & StepKind;

export type StepKind =
  /** Adds to the stored data. The previous version still works, beside this version and after a rollback. */
  | { kind: 'expand' }
  /** Removes data that only versions before `worksFrom` need. Runs only on request. */
  | { kind: 'contract'; worksFrom: string };

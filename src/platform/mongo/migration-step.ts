import type { Connection } from 'mongoose';

/**
 * A change of what is stored. It may run again, in whole or in part, after it was cut off and beside the version
 * before: what it has done already it leaves as it is. docs/upgrading.md tells how to write one.
 */
export type MigrationStep = {
  /** 1, 2, 3 …; never given to another step. */
  id: number;
  name: string;
  /** @param signal aborted once another gateway has taken over: to be looked at before each batch */
  run: (connection: Connection, signal: AbortSignal) => Promise<void>;
} & StepKind;

export type StepKind =
  /** Adds to what is stored. The version before works on beside it, and after a rollback. */
  | { kind: 'expand' }
  /** Takes away what only versions before `worksFrom` need. Nobody runs it unasked. */
  | { kind: 'contract'; worksFrom: string };

import type { Connection } from 'mongoose';
import type { StepKind } from './migration-step.js';

/** A migration step that ran on this database. */
export type RanStep = {
  id: number;
  name: string;
  /** The gateway version that ran the step. */
  version: string;
  by: string;
  at: Date;
  tookMs: number;
} & StepKind;

interface RecordDocument {
  _id: 'migrations';
  steps: RanStep[];
  /** Incremented each time a gateway takes the lease. */
  fence: number;
  holder?: string | null;
  leaseUntil?: Date | null;
}

export interface MigrationRecord {
  /** Oldest first. */
  steps(): Promise<RanStep[]>;
  /** Resolves with the fence of the new lease, or undefined while another gateway holds the lease. */
  take(holder: string, leaseMs: number): Promise<number | undefined>;
  /** `renew` and `add` resolve with false, and write nothing, when another gateway has taken the lease. */
  renew(fence: number, leaseMs: number): Promise<boolean>;
  add(fence: number, step: RanStep): Promise<boolean>;
  release(fence: number): Promise<void>;
  /** The gateway that holds the lease, or held it last. */
  holder(): Promise<string | undefined>;
}

/**
 * One document holds both the steps and the lease, so that a gateway that has lost the lease cannot record a step. All
 * times are MongoDB's, because the clocks of gateways may differ.
 */
export function createMigrationRecord(connection: Connection): MigrationRecord {
  const collection = connection
    .getClient()
    .db(connection.name)
    .collection<RecordDocument>('setup', { readPreference: 'primary' });
  const _id = 'migrations';
  const afterMs = (ms: number) => ({ $add: ['$$NOW', ms] });

  return {
    steps: async () => (await collection.findOne({ _id }))?.steps ?? [],
    async take(holder, leaseMs) {
      await collection.updateOne({ _id }, { $setOnInsert: { steps: [], fence: 0 } }, { upsert: true });
      const taken = await collection.findOneAndUpdate(
        // A missing `leaseUntil` sorts before every date.
        { _id, $expr: { $lte: ['$leaseUntil', '$$NOW'] } },
        [{ $set: { holder, leaseUntil: afterMs(leaseMs), fence: { $add: ['$fence', 1] } } }],
        { returnDocument: 'after' },
      );
      return taken?.fence;
    },
    async renew(fence, leaseMs) {
      const renewed = await collection.updateOne({ _id, fence }, [
        { $set: { leaseUntil: afterMs(leaseMs) } },
      ]);
      return renewed.matchedCount === 1;
    },
    async add(fence, step) {
      const added = await collection.updateOne({ _id, fence }, { $push: { steps: step } });
      return added.matchedCount === 1;
    },
    async release(fence) {
      await collection.updateOne({ _id, fence }, { $unset: { holder: 1, leaseUntil: 1 } });
    },
    holder: async () => (await collection.findOne({ _id }))?.holder ?? undefined,
  };
}

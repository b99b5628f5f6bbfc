import type { Connection } from 'mongoose';
import type { StepKind } from './migration-step.js';

/** A step that has run on this database. */
export type RanStep = {
  id: number;
  name: string;
  /** Of the gateway that ran it. */
  version: string;
  by: string;
  at: Date;
  tookMs: number;
} & StepKind;

interface RecordDocument {
  _id: 'migrations';
  steps: RanStep[];
  /** Raised whenever somebody takes the lease. */
  fence: number;
  holder?: string | null;
  leaseUntil?: Date | null;
}

export interface MigrationRecord {
  /** Oldest first. */
  steps(): Promise<RanStep[]>;
  /** The fence of the lease, or undefined while another one holds it. */
  take(holder: string, leaseMs: number): Promise<number | undefined>;
  /** False when another one has taken the lease meanwhile. So for `add`, which writes nothing then. */
  renew(fence: number, leaseMs: number): Promise<boolean>;
  add(fence: number, step: RanStep): Promise<boolean>;
  release(fence: number): Promise<void>;
  /** Who holds the lease, or held it last. */
  holder(): Promise<string | undefined>;
}

/**
 * One document has the steps and the lease, so that who has lost the lease can record nothing. Time is MongoDB's: the
 * clocks of gateways may be apart.
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
        // What is missing is before any moment.
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

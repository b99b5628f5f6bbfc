import type { Connection } from 'mongoose';

export interface FirstStart {
  /** Whether this database has been set up. */
  done(): Promise<boolean>;
  markDone(): Promise<void>;
}

/** Records in the database itself that it has been set up, so that deleted demo data does not come back. */
export function createFirstStart(connection: Connection): FirstStart {
  const collection = connection
    .getClient()
    .db(connection.name)
    .collection<{ _id: string; at: Date }>('setup');
  return {
    done: async () => (await collection.findOne({ _id: 'first-start' })) !== null,
    markDone: async () => {
      await collection.updateOne(
        { _id: 'first-start' },
        { $setOnInsert: { at: new Date() } },
        { upsert: true },
      );
    },
  };
}

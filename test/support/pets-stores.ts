import type { Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { withCoalescedReads } from '../../src/features/pets/coalesced-reads.js';
import { withGroupCommit } from '../../src/features/pets/group-commit.js';
import { withLeasedIds } from '../../src/features/pets/leased-ids.js';
import { createMongoPetsStore, petsCollection } from '../../src/features/pets/mongo-pets-store.js';
import type { PetsStore } from '../../src/features/pets/pets-store.js';
import { systemClock } from '../../src/lib/clock.js';
import { freshDatabase } from './database.js';
import { makeCollections } from './make-collections.js';

export interface MongoPets {
  store: PetsStore;
  connection: Connection;
  /** Another process's store over the same pets. */
  another: () => Promise<PetsStore>;
  close: () => Promise<void>;
}

export type Layer = (store: PetsStore) => PetsStore;

export const coalescedReads: Layer = (store) => withCoalescedReads(store, systemClock);
export const groupCommit: Layer = (store) => withGroupCommit(store, systemClock);
export const leasedIds: Layer = (store) => withLeasedIds(store, systemClock);
/** As in src/app/services.ts. */
export const allLayers: Layer = (store) => coalescedReads(groupCommit(leasedIds(store)));

/** The store of pets in a database of its own. */
export async function mongoPets({ maxExamined }: { maxExamined?: number } = {}): Promise<MongoPets> {
  const database = freshDatabase();
  const connections: Connection[] = [];
  const connect = async () => {
    const connection = await connectMongo({
      uri: database.uri,
      defaultDatabase: '',
      databaseSuffix: '',
      selectionTimeoutMs: 5000,
    });
    connections.push(connection);
    return connection;
  };
  const connection = await connect();
  return {
    store: createMongoPetsStore(await makeCollections(connection, petsCollection), maxExamined),
    connection,
    another: async () => createMongoPetsStore(await connect()),
    async close() {
      for (const open of connections) await open.close();
      await database.drop();
    },
  };
}

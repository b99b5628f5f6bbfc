import type { Connection } from 'mongoose';
import type { CollectionShape } from '../../src/platform/mongo/collection-shape.js';
import { closeGap, findGaps } from '../../src/platform/mongo/collections.js';

/**
 * The connection, with these collections and their indexes. For tests of one store: to make and drop all collections of
 * a gateway (`prepared`) takes mongod a fifth of a second, and loads most of the gateway.
 */
export async function makeCollections(
  connection: Connection,
  ...collections: readonly CollectionShape[]
): Promise<Connection> {
  const { db } = connection;
  if (db === undefined) throw new Error('the connection is closed');
  for (const gap of await findGaps(db, collections)) await closeGap(db, gap);
  return connection;
}

import { mongo, type Connection } from 'mongoose';
import type { BackupProgress } from './backup.js';
import { collectionFile, readCollection, readManifest, type BackedUpCollection } from './backup-files.js';
import { collectionNames } from './collection-names.js';
import { makeCollection } from './collections.js';

/** There is something in the database, which nothing is written over. */
export class DatabaseNotEmpty extends Error {}

const DOCUMENTS_AT_ONCE = 1000;
/** Files of sites are documents of many megabytes. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;
/** Every type as it was: no double for an integer, no rounded int64. */
const EXACTLY = { promoteValues: false, promoteBuffers: false, promoteLongs: false } as const;

/**
 * Puts a backup into an empty database. Nothing may use that meanwhile; indexes are made when a gateway starts.
 * @throws BackupUnusable before anything is written; DatabaseNotEmpty; what the driver throws: the database has only a
 * part then, and is of no use
 */
export async function restore(
  connection: Connection,
  folder: string,
  onCollection: BackupProgress,
): Promise<BackedUpCollection[]> {
  const { collections } = await readManifest(folder);
  const db = connection.getClient().db(connection.name);
  for (const name of await collectionNames(connection))
    if ((await db.collection(name).findOne({}, { projection: { _id: 1 } })) !== null)
      throw new DatabaseNotEmpty(
        `The database ${connection.name} is not empty: ${name} has documents. Restore into a new one.`,
      );
  for (const collection of collections) {
    const { name } = collection;
    await makeCollection(db, name);
    for await (const documents of inBatches(readCollection(collectionFile(folder, name))))
      await db
        .collection(name)
        .insertMany(documents, { ordered: false, writeConcern: { w: 'majority', journal: true } });
    onCollection(collection);
  }
  return collections;
}

async function* inBatches(documents: AsyncIterable<Buffer>): AsyncGenerator<mongo.Document[], void> {
  let batch: mongo.Document[] = [];
  let gathered = 0;
  for await (const bytes of documents) {
    batch.push(mongo.BSON.deserialize(bytes, EXACTLY));
    gathered += bytes.length;
    if (batch.length < DOCUMENTS_AT_ONCE && gathered < BYTES_AT_ONCE) continue;
    yield batch;
    batch = [];
    gathered = 0;
  }
  if (batch.length > 0) yield batch;
}

import { mongo, type Connection } from 'mongoose';
import { collectionNames, type BackupProgress } from './backup.js';
import { collectionFile, readCollection, readManifest, type BackedUpCollection } from './backup-files.js';
import { makeCollection } from './collections.js';

/** The database contains documents. A restore never overwrites them. */
export class DatabaseNotEmpty extends Error {}

const DOCUMENTS_AT_ONCE = 1000;
/** Documents of site files can be many megabytes. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;
/** Keeps every BSON type: integers do not become doubles, and int64 values are not rounded. */
const EXACTLY = { promoteValues: false, promoteBuffers: false, promoteLongs: false } as const;

/**
 * Writes a backup into an empty database. Nothing else may use the database meanwhile. A gateway builds the indexes
 * when it starts.
 * @throws BackupUnusable and DatabaseNotEmpty before anything is written; driver errors, after which the database is
 * incomplete and must not be used
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

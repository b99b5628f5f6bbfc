import { mkdir, rename } from 'node:fs/promises';
import type { Connection, mongo } from 'mongoose';
import { fileSha256 } from '../../lib/sha256.js';
import {
  collectionFile,
  PARTIAL,
  removeBackup,
  removeEmptyFolder,
  writeCollection,
  writeManifest,
  type BackedUpCollection,
} from './backup-files.js';

export type BackupProgress = (collection: BackedUpCollection) => void;

/**
 * Writes the whole database to a new folder, from a snapshot of one moment. The database stays in use meanwhile.
 * Writes to `<folder>.partial`, and renames it to `folder` once the backup is complete.
 *
 * MongoDB keeps snapshots for five minutes (`minSnapshotHistoryWindowInSeconds`): a backup that takes longer fails.
 * @throws Error with the code EEXIST when `folder` or `<folder>.partial` exists; driver errors
 */
export async function backUp(
  connection: Connection,
  folder: string,
  onCollection: BackupProgress,
): Promise<BackedUpCollection[]> {
  const partial = folder + PARTIAL;
  // A `.partial` folder left by a killed backup also fails here, and the error names it.
  await mkdir(partial, { mode: 0o700 });
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    await removeEmptyFolder(partial);
    throw error;
  }
  try {
    const collections = await writeCollections(connection, partial, onCollection);
    // Replaces the empty folder that reserved the name.
    await rename(partial, folder);
    return collections;
  } catch (error) {
    await removeBackup(partial);
    await removeEmptyFolder(folder);
    throw error;
  }
}

async function writeCollections(
  connection: Connection,
  folder: string,
  onCollection: BackupProgress,
): Promise<BackedUpCollection[]> {
  const names = await collectionNames(connection);
  const createdAt = new Date().toISOString();
  const session = connection.getClient().startSession({ snapshot: true });
  const collections: BackedUpCollection[] = [];
  try {
    for (const name of names) {
      const path = collectionFile(folder, name);
      const counted = { documents: 0 };
      await writeCollection(path, documentsOf(connection, name, session, counted));
      const collection = { name, ...counted, sha256: await fileSha256(path) };
      collections.push(collection);
      onCollection(collection);
    }
  } finally {
    await session.endSession();
  }
  await writeManifest(folder, { createdAt, collections });
  return collections;
}

async function* documentsOf(
  connection: Connection,
  name: string,
  session: mongo.ClientSession,
  counted: { documents: number },
): AsyncGenerator<Uint8Array, void> {
  const collection = connection.getClient().db(connection.name).collection(name);
  for await (const document of collection.find({}, { session, raw: true })) {
    counted.documents += 1;
    // With `raw`, the driver returns bytes but types them as a document.
    yield document as unknown as Uint8Array;
  }
}

/**
 * The names of the collections that the gateway writes, sorted. Leaves out views, system collections, and capped
 * collections, which hold nothing to keep.
 */
export async function collectionNames(connection: Connection): Promise<string[]> {
  const db = connection.getClient().db(connection.name);
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: false }).toArray();
  return found
    .filter(({ options }) => options?.['capped'] !== true)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'))
    .sort();
}

import { createReadStream, createWriteStream } from 'node:fs';
import { access, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { fileSha256 } from '../../lib/sha256.js';

/** A backup is a folder with one file for each collection and this manifest, which is written last. */
const MANIFEST = 'manifest.json';
const COLLECTION_EXTENSION = '.bson.gz';
const FORMAT = 1;
const LENGTH_BYTES = 4;
/** A document has its length and a final zero byte. MongoDB stores up to 16 MiB in one (`maxBsonObjectSize`). */
const LEAST_DOCUMENT_BYTES = 5;
const MOST_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** Room for thousands of collections. */
const MOST_MANIFEST_BYTES = 1024 * 1024;

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  createdAt: z.string(),
  collections: z.array(
    z.object({
      name: z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/),
      documents: z.int().min(0),
      sha256: z.string(),
    }),
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type BackedUpCollection = Manifest['collections'][number];

/** The folder is not a backup, or the backup is damaged. The message says what is wrong. */
export class BackupUnusable extends Error {}

/** What the name of a backup has at its end until the backup is complete. */
export const PARTIAL = '.partial';

/** BSON documents, concatenated (each document starts with its own length), compressed with gzip. */
export function collectionFile(folder: string, name: string): string {
  return join(folder, name + COLLECTION_EXTENSION);
}

export async function writeCollection(path: string, documents: AsyncIterable<Uint8Array>): Promise<void> {
  // Level 1: a higher level makes the file about a tenth smaller but takes CPU time from the disk and the database.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(documents, createGzip({ level: 1 }), file);
}

/**
 * The documents of a collection, one after the other. Holds at most one document and a chunk in memory, whatever lengths
 * the file states.
 * @throws BackupUnusable when the file is not such documents to its end
 */
export async function* readCollection(path: string): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let gathered = 0;
  let needed = LENGTH_BYTES;
  for await (const chunk of expanded(path)) {
    pieces.push(chunk);
    gathered += chunk.length;
    // Concatenate only when a whole document is there: a large document arrives in hundreds of chunks.
    if (gathered < needed) continue;
    let rest = Buffer.concat(pieces);
    for (needed = lengthOf(rest, path); rest.length >= needed; needed = lengthOf(rest, path)) {
      yield rest.subarray(0, needed);
      rest = rest.subarray(needed);
    }
    pieces = [rest];
    gathered = rest.length;
  }
  if (gathered > 0) throw new BackupUnusable(`${path} ends in the middle of a document`);
}

async function* expanded(path: string): AsyncGenerator<Buffer, void> {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  // Ends both, whichever fails or is no longer read.
  const piping = pipeline(file, gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new BackupUnusable(`${path} is not a complete gzip file`, { cause: error });
  } finally {
    gunzip.destroy();
    await piping;
  }
}

/**
 * The length of the document that begins here, in bytes. BSON puts the length first (bsonspec.org). Returns 4 while
 * fewer than 4 bytes are there.
 * @throws BackupUnusable when no document has that length
 */
function lengthOf(bytes: Buffer, path: string): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES;
  const length = bytes.readInt32LE();
  if (length < LEAST_DOCUMENT_BYTES || length > MOST_DOCUMENT_BYTES)
    throw new BackupUnusable(
      `${path} states a document of ${length} bytes; MongoDB has documents of ${LEAST_DOCUMENT_BYTES} to ${MOST_DOCUMENT_BYTES} bytes`,
    );
  return length;
}

export async function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  const text = JSON.stringify({ format: FORMAT, ...manifest }, null, 2);
  await pipeline(
    [`${text}\n`],
    createWriteStream(join(folder, MANIFEST), { flags: 'wx', mode: 0o600, flush: true }),
  );
}

/**
 * Removes the files of a complete or begun backup, and the folder. Changes nothing if the folder has other files too, and
 * returns false.
 */
export async function removeBackup(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  if (names.some((name) => name !== MANIFEST && !name.endsWith(COLLECTION_EXTENSION))) return false;
  // Without the manifest, what is left is no complete backup.
  for (const name of names.sort((a, b) => Number(b === MANIFEST) - Number(a === MANIFEST)))
    await rm(join(folder, name));
  return removeEmptyFolder(folder);
}

/** Returns false if the folder is not empty. */
export async function removeEmptyFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    if (code === 'ENOENT') return true;
    throw error;
  }
}

/** Whether a complete backup is in `folder`: the manifest is written last. */
export async function isBackup(folder: string): Promise<boolean> {
  return access(join(folder, MANIFEST)).then(
    () => true,
    () => false,
  );
}

/**
 * Reads all files once, so that a restore finds a fault before it writes anything.
 * @throws BackupUnusable when the manifest or a collection file is missing, unreadable or changed, or when a collection
 * file has other documents than the manifest states
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new BackupUnusable(`${folder} is not a backup: it has no ${MANIFEST}`);
  const manifest = found.size > MOST_MANIFEST_BYTES ? undefined : parseManifest(await readFile(path, 'utf8'));
  if (manifest === undefined) throw new BackupUnusable(`${folder} has a ${MANIFEST} that cannot be read`);
  for (const { name, sha256, documents } of manifest.collections) {
    const path = collectionFile(folder, name);
    const found = await fileSha256(path).catch(() => undefined);
    if (found !== sha256)
      throw new BackupUnusable(`${path} is ${found === undefined ? 'missing' : 'damaged'}`);
    const there = await countDocuments(path);
    if (there !== documents)
      throw new BackupUnusable(`${path} has ${there} documents; ${MANIFEST} states ${documents}`);
  }
  return manifest;
}

async function countDocuments(path: string): Promise<number> {
  let count = 0;
  for await (const _document of readCollection(path)) count += 1;
  return count;
}

function parseManifest(text: string): Manifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSha256 } from '../../lib/sha256.js';

export type Cached = { state: 'intact'; binary: string } | { state: 'absent' } | { state: 'corrupted' };

/**
 * Looks for `mongod-<version>` in the cache and compares it with the checksum stored beside it. To read all of mongod
 * takes a tenth of a start, so a file that is as it was when it was compared last is not compared again.
 */
export async function findCached(cacheDir: string, version: string): Promise<Cached> {
  const folder = entryFolder(cacheDir, version);
  const binary = join(folder, 'mongod');
  if (!(await exists(folder))) return { state: 'absent' };
  const compared = join(folder, 'mongod.compared');
  try {
    const { size, mtimeMs } = await stat(binary);
    const now = `${size} ${mtimeMs}\n`;
    if ((await readFile(compared, 'utf8').catch(() => '')) === now) return { state: 'intact', binary };
    const expected = (await readFile(join(folder, 'mongod.sha256'), 'utf8')).split(' ')[0];
    if ((await fileSha256(binary)) !== expected) return { state: 'corrupted' };
    // The cache may be on a read-only file system.
    await writeFile(compared, now).catch(() => undefined);
    return { state: 'intact', binary };
  } catch {
    return { state: 'corrupted' };
  }
}

/**
 * Calls `fetch` with an empty folder, then moves the mongod that `fetch` returns into the cache with one rename, so
 * that other processes see a complete entry or none. If two processes fetch at once, either entry may remain.
 * @throws errors of `fetch`; file system errors. Leaves no files behind in both cases.
 */
export async function addToCache(
  cacheDir: string,
  version: string,
  fetch: (folder: string) => Promise<string>,
): Promise<string> {
  const work = join(cacheDir, `.fetching-${version}-${randomBytes(6).toString('hex')}`);
  const entry = join(work, 'entry');
  await mkdir(entry, { recursive: true });
  try {
    const fetched = await fetch(await makeFolder(join(work, 'download')));
    await chmod(fetched, 0o755);
    await writeFile(join(entry, 'mongod.sha256'), `${await fileSha256(fetched)} *mongod\n`);
    await rename(fetched, join(entry, 'mongod'));
    return await putInPlace(cacheDir, version, work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function putInPlace(cacheDir: string, version: string, work: string): Promise<string> {
  const folder = entryFolder(cacheDir, version);
  const inPlace = await findCached(cacheDir, version);
  if (inPlace.state === 'intact') return inPlace.binary;
  // Move a corrupted entry aside in one step: the following rename needs the name to be free.
  if (inPlace.state === 'corrupted') await rename(folder, join(work, 'corrupted')).catch(ignoreMissing);
  try {
    await rename(join(work, 'entry'), folder);
  } catch (error) {
    const winner = await findCached(cacheDir, version);
    if (winner.state !== 'intact') throw error;
  }
  return join(folder, 'mongod');
}

function entryFolder(cacheDir: string, version: string): string {
  return join(cacheDir, `mongod-${version}`);
}

async function makeFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

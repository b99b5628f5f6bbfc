import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../lib/clock.js';
import { isBackup, PARTIAL, removeBackup, removeEmptyFolder } from './backup-files.js';

/** `pets-` and the time of the backup in UTC, without the colons that some file systems reject. */
const DATED = /^pets-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z$/;

/** The path of a backup made at `at`, in `parent`. Names sort by time. */
export function datedBackup(parent: string, at: Date): string {
  const time = at.toISOString().replace(/\.\d+Z$/, 'Z');
  return join(parent, `pets-${time.replaceAll(':', '-')}`);
}

/**
 * Removes all but the newest `keep` dated backups in `parent`, and what killed backups left there more than a day ago.
 * Leaves everything else: other names, and folders that hold other files.
 *
 * @param keep how many complete backups remain, from 1
 * @returns the names of the backups that were removed
 */
export async function removeOldBackups(parent: string, keep: number, now: Date): Promise<string[]> {
  const names = (await readdir(parent)).sort();
  const killed = names
    .filter((name) => name.endsWith(PARTIAL))
    .map((name) => name.slice(0, -PARTIAL.length))
    .filter((name) => DATED.test(name) && isOld(name, now));
  for (const name of killed) {
    await removeBackup(join(parent, name + PARTIAL));
    // The folder that reserved the name.
    await removeEmptyFolder(join(parent, name));
  }
  const complete: string[] = [];
  for (const name of names) if (DATED.test(name) && (await isBackup(join(parent, name)))) complete.push(name);
  const removed: string[] = [];
  for (const name of complete.slice(0, -keep)) if (await removeOne(join(parent, name))) removed.push(name);
  return removed;
}

/** Removes what is left of it another time, should this process be killed. */
async function removeOne(folder: string): Promise<boolean> {
  const partial = folder + PARTIAL;
  await rename(folder, partial);
  const isRemoved = await removeBackup(partial);
  if (!isRemoved) await rename(partial, folder);
  return isRemoved;
}

function isOld(name: string, now: Date): boolean {
  const madeAt = Date.parse(name.replace(DATED, '$1T$2:$3:$4Z'));
  return now.getTime() - madeAt > DAY_MS;
}

/** Whether `path` is a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

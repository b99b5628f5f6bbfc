import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectSite, type EntryKind, type SiteEntry } from './collect-site.js';
import type { FileContent } from './deploy.js';
import { readPath } from './site-path.js';

/**
 * Reads the files of a site from a folder, by the same rules as from an archive. Does not follow links.
 * @throws SiteRefused; NodeJS.ErrnoException for a missing or unreadable file or folder
 */
export function readFolder(folder: string): Promise<FileContent[]> {
  return collectSite(entriesOf(folder, ''));
}

async function* entriesOf(folder: string, prefix: string): AsyncGenerator<SiteEntry> {
  for (const dirent of await readdir(folder, { withFileTypes: true })) {
    const name = prefix + dirent.name;
    const place = join(folder, dirent.name);
    const kind = kindOf(dirent);
    const { size: sizeBytes } = await lstat(place);
    yield { name, kind, sizeBytes, read: () => readFile(place) };
    // Does not descend into excluded folders: a `.git` folder, for example, would be most of the work.
    if (kind === 'directory' && 'path' in readPath(name)) yield* entriesOf(place, `${name}/`);
  }
}

function kindOf(dirent: Dirent): EntryKind {
  if (dirent.isFile()) return 'file';
  if (dirent.isDirectory()) return 'directory';
  if (dirent.isSymbolicLink()) return 'symlink';
  if (dirent.isFIFO()) return 'fifo';
  if (dirent.isBlockDevice()) return 'block-device';
  return dirent.isCharacterDevice() ? 'character-device' : null;
}

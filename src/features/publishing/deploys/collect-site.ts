import { foldPath, readPath } from './site-path.js';
import { MAX_ENTRIES, MAX_SITE_BYTES, MAX_SITE_FILES, type FileContent } from './deploy.js';

/** The kind of an entry in an archive or a folder; null if the reader does not know the kind. */
export type EntryKind =
  | 'file'
  | 'contiguous-file'
  | 'directory'
  | 'symlink'
  | 'link'
  | 'character-device'
  | 'block-device'
  | 'fifo'
  | null;

export interface SiteEntry {
  name: string;
  kind: EntryKind;
  sizeBytes: number;
  read: () => Promise<Buffer>;
}

/** The input cannot become a site. `reason` is shown to the person who uploaded it. */
export class SiteRefused extends Error {
  constructor(
    readonly reason: string,
    readonly tooLarge = false,
  ) {
    super(reason);
    this.name = 'SiteRefused';
  }
}

/**
 * Collects the files of a site, each under a safe and unique path. Reads nothing beyond the limits.
 * @throws SiteRefused, and errors from `entries`
 */
export async function collectSite(
  entries: AsyncIterable<SiteEntry> | Iterable<SiteEntry>,
): Promise<FileContent[]> {
  const files = new Map<string, FileContent>();
  let bytesInAll = 0;
  let entryCount = 0;
  for await (const { name, kind, sizeBytes, read } of entries) {
    entryCount += 1;
    if (entryCount > MAX_ENTRIES)
      throw new SiteRefused(
        `The archive has more than ${MAX_ENTRIES} entries. Folders, links and hidden files count too.`,
      );
    const verdict = readPath(name);
    if ('fault' in verdict) throw refuseEntry(name, verdict.fault);
    if ('skipped' in verdict || kind === 'directory') continue;
    if (kind !== 'file' && kind !== 'contiguous-file') throw refuseEntry(name, faultOfKind(kind));
    const { path } = verdict;
    const twin = files.get(foldPath(path));
    if (twin !== undefined)
      throw refuseEntry(
        name,
        twin.path === path ? 'occurs twice' : `differs from ${quote(twin.path)} in case only`,
      );
    if (files.size === MAX_SITE_FILES)
      throw new SiteRefused(`The site has more than ${MAX_SITE_FILES} files.`);
    bytesInAll += sizeBytes;
    if (bytesInAll > MAX_SITE_BYTES)
      throw new SiteRefused(`The files of the site are larger than ${MAX_SITE_BYTES / 1024 ** 2} MiB.`);
    files.set(foldPath(path), { path, bytes: await read() });
  }
  const found = [...files.values()];
  if (!found.some(({ path }) => path === 'index.html')) throw new SiteRefused(withoutIndex(found));
  return found;
}

/** Names the folder if all files are in one: people pack `site` in place of its content. */
function withoutIndex(files: readonly FileContent[]): string {
  const fault = 'There is no index.html at the top level';
  const folder = commonFolder(files.map(({ path }) => path));
  return folder === ''
    ? `${fault}.`
    : `${fault}: all files are in the folder ${quote(folder)}. Publish the content of that folder.`;
}

/** The innermost folder that contains all files, such as `build/site`; empty for the top level. */
function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  const folders = first.split('/').slice(0, -1);
  const isShared = (_: string, i: number) => {
    const folder = `${folders.slice(0, i + 1).join('/')}/`;
    return others.every((path) => path.startsWith(folder));
  };
  return folders.filter(isShared).join('/');
}

function faultOfKind(kind: Exclude<EntryKind, 'file' | 'contiguous-file' | 'directory'>): string {
  switch (kind) {
    case 'symlink':
    case 'link':
      return 'is a link: include the file itself';
    case 'character-device':
    case 'block-device':
      return 'is a device';
    case 'fifo':
      return 'is a named pipe';
    case null:
      return 'is neither a file nor a folder';
  }
}

/** The refusal of one entry: its name, and what is wrong with it. */
export function refuseEntry(name: string, fault: string): SiteRefused {
  return new SiteRefused(`${quote(name)} ${fault}.`);
}

/** Quotes a name for display: as JSON, cut to a readable length. */
function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

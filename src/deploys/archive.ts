import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { foldPath, readPath } from './archive-path.js';
import { MAX_SITE_BYTES, MAX_SITE_FILES, type FileContent } from './deploy.js';

/** What an upload may have: the files of a site, incompressible, and what tar adds to each. */
export const MAX_ARCHIVE_BYTES = 12 * 1024 * 1024;
/** The whole tar, with what is left out of the site and the padding. */
const MAX_TAR_BYTES = 16 * 1024 * 1024;
/** RFC 1952 section 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The archive is not one that can be deployed; the reason is for the person who made it. */
export class ArchiveRefused extends Error {
  constructor(
    readonly reason: string,
    readonly tooLarge = false,
  ) {
    super(reason);
    this.name = 'ArchiveRefused';
  }
}

/**
 * The files of a site in a tar.gz (RFC 1952; POSIX.1-2024 ustar and pax, and GNU's tar), each under a path that is safe
 * and names nothing else in the archive. Reads no further than the limits, however far the archive would expand.
 * @throws ArchiveRefused, and what `source` throws
 */
export async function readArchive(source: AsyncIterable<Uint8Array>): Promise<FileContent[]> {
  const files = new Map<string, FileContent>();
  let sizeBytes = 0;
  for await (const { name, type, bytes } of entriesOf(await expand(source))) {
    const verdict = readPath(name);
    if ('fault' in verdict) throw refused(name, verdict.fault);
    if ('skipped' in verdict || type === 'directory') continue;
    if (type !== 'file' && type !== 'contiguous-file') throw refused(name, faultOfType(type));
    const { path } = verdict;
    const twin = files.get(foldPath(path));
    if (twin !== undefined)
      throw refused(
        name,
        twin.path === path ? 'is there twice' : `differs from ${quote(twin.path)} in case only`,
      );
    if (files.size === MAX_SITE_FILES)
      throw new ArchiveRefused(`There are more than ${MAX_SITE_FILES} files.`);
    sizeBytes += bytes.length;
    if (sizeBytes > MAX_SITE_BYTES)
      throw new ArchiveRefused(`The files have more than ${MAX_SITE_BYTES / 1024 ** 2} MiB.`);
    files.set(foldPath(path), { path, bytes });
  }
  const found = [...files.values()];
  if (!found.some(({ path }) => path === 'index.html'))
    throw new ArchiveRefused('There is no index.html at the top of the archive.');
  return found;
}

/** All of the tar: it is small enough to be held, and nothing is read before it is known to be whole. */
async function expand(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const expanded: Buffer[] = [];
  let head = Buffer.alloc(0);
  async function* sent() {
    for await (const chunk of limited(source, MAX_ARCHIVE_BYTES, 'The archive')) {
      if (head.length < 2) head = Buffer.concat([head, chunk.subarray(0, 2)]);
      yield chunk;
    }
  }
  try {
    await pipeline(sent(), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of limited(chunks, MAX_TAR_BYTES, 'The archive, expanded,'))
        expanded.push(chunk);
    });
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'Z_BUF_ERROR':
        throw new ArchiveRefused('The archive is cut short.');
      case 'Z_DATA_ERROR':
        throw new ArchiveRefused(
          head.subarray(0, 2).equals(GZIP_MAGIC)
            ? 'The archive is damaged, or followed by something else.'
            : 'The archive is not gzip: send a tar.gz.',
        );
      default:
        throw error;
    }
  }
  return Buffer.concat(expanded);
}

async function* limited<T extends Uint8Array>(
  chunks: AsyncIterable<T>,
  maxBytes: number,
  what: string,
): AsyncGenerator<T> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new ArchiveRefused(`${what} has more than ${maxBytes / 1024 ** 2} MiB.`, true);
    yield chunk;
  }
}

interface Entry extends Pick<Header, 'name'> {
  /** Null for a kind that the reader does not know. */
  type: Header['type'] | null;
  bytes: Buffer;
}

async function* entriesOf(tar: Buffer): AsyncGenerator<Entry> {
  const reader = extract();
  reader.end(tar);
  try {
    for await (const entry of reader) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      const { name, type } = entry.header;
      yield { name, type, bytes: Buffer.concat(chunks) };
    }
  } catch {
    throw new ArchiveRefused('The archive is not a tar, or it is damaged or cut short.');
  }
}

function faultOfType(type: Entry['type']): string {
  switch (type) {
    case 'symlink':
    case 'link':
      return 'is a link; put the file itself there (tar --dereference --hard-dereference)';
    case 'character-device':
    case 'block-device':
      return 'is a device';
    case 'fifo':
      return 'is a named pipe';
    case 'file':
    case 'directory':
    case 'contiguous-file':
    case null:
      return 'is neither a file nor a folder';
  }
}

function refused(name: string, fault: string): ArchiveRefused {
  return new ArchiveRefused(`${quote(name)} ${fault}.`);
}

/** Safe to show: as JSON, and no longer than it is readable. */
function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { formatOf, HOW_TO_PACK } from './archive-format.js';
import { collectSite, SiteRefused } from './collect-site.js';
import type { FileContent } from './deploy.js';
import { readTar } from './read-tar.js';

/** Upload limit: the files of a site, even if incompressible, plus the tar headers. */
export const MAX_ARCHIVE_BYTES = 12 * 1024 * 1024;
/** Limit of the expanded tar, including padding and entries that are left out of the site. */
const MAX_TAR_BYTES = 16 * 1024 * 1024;
const INITIAL_BYTES = 64 * 1024;
/** Memory chunk size for the expansion. */
const CHUNK_BYTES = 256 * 1024;
const gunzipped = promisify<Buffer, ZlibOptions, Buffer>(gunzip);

/**
 * Collects the bytes of an archive in one buffer, so that its cost does not depend on how many chunks the sender uses.
 * @throws SiteRefused if the archive is too large, and errors from `source`
 */
export async function receiveArchive(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let held = Buffer.alloc(INITIAL_BYTES);
  let bytes = 0;
  for await (const chunk of source) {
    const end = bytes + chunk.length;
    if (end > MAX_ARCHIVE_BYTES) throw tooLarge('The archive', MAX_ARCHIVE_BYTES);
    if (end > held.length) {
      const larger = Buffer.alloc(Math.min(MAX_ARCHIVE_BYTES, Math.max(end, held.length * 2)));
      held.copy(larger, 0, 0, bytes);
      held = larger;
    }
    held.set(chunk, bytes);
    bytes = end;
  }
  return held.subarray(0, bytes);
}

/**
 * Reads the files of a site from a tar.gz (RFC 1952; see readTar). Stops at the limits,
 * however large the archive would expand.
 * @throws SiteRefused
 */
export async function readArchive(archive: Buffer): Promise<FileContent[]> {
  return collectSite(readTar(await expand(archive)));
}

/**
 * Expands the entire tar: it is small enough for memory, and no entry is read before the archive is known to be
 * complete.
 */
async function expand(archive: Buffer): Promise<Buffer> {
  try {
    return await gunzipped(archive, { maxOutputLength: MAX_TAR_BYTES, chunkSize: CHUNK_BYTES });
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ERR_BUFFER_TOO_LARGE':
        throw tooLarge('The archive, expanded,', MAX_TAR_BYTES);
      case 'Z_BUF_ERROR':
        throw new SiteRefused('The archive is incomplete.');
      case 'Z_DATA_ERROR':
        throw new SiteRefused(faultOfGzip(archive));
      default:
        throw error;
    }
  }
}

function faultOfGzip(archive: Buffer): string {
  const format = formatOf(archive);
  if (format === 'a gzip file') return 'The archive is damaged, or other data follows it.';
  return `The archive is not gzip${format === undefined ? '' : `, but ${format}`}. ${HOW_TO_PACK}`;
}

function tooLarge(what: string, maxBytes: number): SiteRefused {
  return new SiteRefused(`${what} has more than ${maxBytes / 1024 ** 2} MiB.`, true);
}

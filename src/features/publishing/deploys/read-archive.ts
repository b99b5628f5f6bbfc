import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { collectSite, SiteRefused, type SiteEntry } from './collect-site.js';
import type { FileContent } from './deploy.js';

/** What an upload may have: the files of a site, incompressible, and what tar adds to each. */
export const MAX_ARCHIVE_BYTES = 12 * 1024 * 1024;
/** The whole tar, with what is left out of the site and the padding. */
const MAX_TAR_BYTES = 16 * 1024 * 1024;
/** RFC 1952 section 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * The files of a site in a tar.gz (RFC 1952; POSIX.1-2024 ustar and pax, and GNU's tar). Reads no further than the
 * limits, however far the archive would expand.
 * @throws SiteRefused, and what `source` throws
 */
export async function readArchive(source: AsyncIterable<Uint8Array>): Promise<FileContent[]> {
  return collectSite(entriesOf(await expand(source)));
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
        throw new SiteRefused('The archive is cut short.');
      case 'Z_DATA_ERROR':
        throw new SiteRefused(
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
    if (bytes > maxBytes) throw new SiteRefused(`${what} has more than ${maxBytes / 1024 ** 2} MiB.`, true);
    yield chunk;
  }
}

async function* entriesOf(tar: Buffer): AsyncGenerator<SiteEntry> {
  const reader = extract();
  reader.end(tar);
  try {
    for await (const entry of reader) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      const { name, type: kind } = entry.header;
      const bytes = Buffer.concat(chunks);
      yield { name, kind, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
    }
  } catch {
    throw new SiteRefused('The archive is not a tar, or it is damaged or cut short.');
  }
}

import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { extract } from 'tar-stream';
import { collectSite, SiteRefused, type SiteEntry } from './collect-site.js';
import type { FileContent } from './deploy.js';

/** What an upload may have: the files of a site, incompressible, and what tar adds to each. */
export const MAX_ARCHIVE_BYTES = 12 * 1024 * 1024;
/** The whole tar, with what is left out of the site and the padding. */
const MAX_TAR_BYTES = 16 * 1024 * 1024;
const INITIAL_BYTES = 64 * 1024;
/** What the expansion takes memory in. */
const CHUNK_BYTES = 256 * 1024;
/** Of an entry in the tar: its header, one in front of it for a long name, and what pads the three of them. */
const HEADER_BYTES = 2048;
/** Of the tar: further headers in front of entries, and what is behind the last one. */
const SPARE_BYTES = 2 * 1024 * 1024;
/** Of the tar: 64 headers at most, some milliseconds of work. */
const SLICE_BYTES = 32 * 1024;
/** Of a tar's block, and of a header in it: its type, and its size in octal digits (POSIX.1-2024, pax, "ustar Interchange Format"). */
const BLOCK_BYTES = 512;
const TYPE_AT = 156;
const GLOBAL = 'g'.charCodeAt(0);
const SMALL_SIZE = /^[0 ]{8}[0-7 ]{3}[\0 ]$/;
/** RFC 1952 section 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

const gunzipped = promisify<Buffer, ZlibOptions, Buffer>(gunzip);

/**
 * The bytes of an archive as they arrive, in one buffer, so that it makes no difference into how many pieces its sender
 * cuts them.
 * @throws SiteRefused when there are too many, and what `source` throws
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
 * The files of a site in a tar.gz (RFC 1952; POSIX.1-2024 ustar and pax, and GNU's tar). Reads no further than the
 * limits, however far the archive would expand.
 * @throws SiteRefused
 */
export async function readArchive(archive: Buffer): Promise<FileContent[]> {
  return collectSite(entriesOf(await expand(archive)));
}

/** All of the tar: it is small enough to be held, and nothing is read before it is known to be whole. */
async function expand(archive: Buffer): Promise<Buffer> {
  try {
    return await gunzipped(archive, { maxOutputLength: MAX_TAR_BYTES, chunkSize: CHUNK_BYTES });
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ERR_BUFFER_TOO_LARGE':
        throw tooLarge('The archive, expanded,', MAX_TAR_BYTES);
      case 'Z_BUF_ERROR':
        throw new SiteRefused('The archive is cut short.');
      case 'Z_DATA_ERROR':
        throw new SiteRefused(
          archive.subarray(0, 2).equals(GZIP_MAGIC)
            ? 'The archive is damaged, or followed by something else.'
            : 'The archive is not gzip: send a tar.gz.',
        );
      default:
        throw error;
    }
  }
}

function tooLarge(what: string, maxBytes: number): SiteRefused {
  return new SiteRefused(`${what} has more than ${maxBytes / 1024 ** 2} MiB.`, true);
}

async function* entriesOf(tar: Buffer): AsyncGenerator<SiteEntry> {
  if (hasLargeGlobalHeader(tar))
    throw new SiteRefused('The archive has a pax header for all its files that is longer than 511 bytes.');
  const reader = extract();
  let accountedBytes = 0;
  const slices = slicesOf(tar, (readBytes) => {
    if (readBytes > accountedBytes + SPARE_BYTES)
      throw new SiteRefused('The archive has too many headers that belong to no file.');
  });
  // A pipe alone would leave the reader waiting.
  Readable.from(slices, { highWaterMark: 1 })
    .on('error', (error) => reader.destroy(error))
    .pipe(reader);
  try {
    for await (const entry of reader) {
      const { name, type: kind, size } = entry.header;
      accountedBytes += HEADER_BYTES + size;
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      yield { name, kind, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) };
    }
  } catch (error) {
    if (error instanceof SiteRefused) throw error;
    throw new SiteRefused('The archive is not a tar, or it is damaged or cut short.');
  }
}

/**
 * Whether a block may be the pax header `g` with more than 511 bytes. Its records are for all entries behind it, and the
 * reader copies them for each: 100,000 of them take some 100 ms every time. What git writes has 52 bytes.
 */
function hasLargeGlobalHeader(tar: Buffer): boolean {
  for (let at = 0; at < tar.length; at += BLOCK_BYTES) {
    const isGlobal = tar[at + TYPE_AT] === GLOBAL && tar.toString('latin1', at + 257, at + 262) === 'ustar';
    if (isGlobal && !SMALL_SIZE.test(tar.toString('latin1', at + 124, at + 136))) return true;
  }
  return false;
}

/** Between two of them the process attends to its other requests: a tar can be nothing but headers. */
async function* slicesOf(tar: Buffer, onRead: (readBytes: number) => void): AsyncGenerator<Buffer> {
  for (let at = 0; at < tar.length; at += SLICE_BYTES) {
    onRead(at);
    yield tar.subarray(at, at + SLICE_BYTES);
    await nextTurn();
  }
}

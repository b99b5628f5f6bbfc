import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { extract, type Extract } from 'tar-stream';
import { collectSite, SiteRefused, type SiteEntry } from './collect-site.js';
import type { FileContent } from './deploy.js';

/** Upload limit: the files of a site, even if incompressible, plus the tar headers. */
export const MAX_ARCHIVE_BYTES = 12 * 1024 * 1024;
/** Limit of the expanded tar, including padding and entries that are left out of the site. */
const MAX_TAR_BYTES = 16 * 1024 * 1024;
const INITIAL_BYTES = 64 * 1024;
/** Memory chunk size for the expansion. */
const CHUNK_BYTES = 256 * 1024;
/** Overhead of a tar entry: its header, an extra header for a long name, and the padding of all three. */
const HEADER_BYTES = 2048;
/** Allowance of the tar for additional headers before entries, and for the blocks after the last entry. */
const SPARE_BYTES = 2 * 1024 * 1024;
/** Holds at most 64 headers, which take a few milliseconds to parse. */
const SLICE_BYTES = 32 * 1024;
/** The global header that git writes has 52 bytes. */
const MAX_GLOBAL_HEADER_BYTES = 511;
/** RFC 1952 section 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

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
 * Reads the files of a site from a tar.gz (RFC 1952; POSIX.1-2024 ustar and pax, and GNU tar). Stops at the limits,
 * however large the archive would expand.
 * @throws SiteRefused
 */
export async function readArchive(archive: Buffer): Promise<FileContent[]> {
  return collectSite(entriesOf(await expand(archive)));
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
        throw new SiteRefused(
          archive.subarray(0, 2).equals(GZIP_MAGIC)
            ? 'The archive is damaged, or other data follows it.'
            : 'The archive is not gzip. Send a .tar.gz file.',
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
  const reader = createReader();
  let accountedBytes = 0;
  const slices = slicesOf(tar, (readBytes) => {
    if (readBytes > accountedBytes + SPARE_BYTES)
      throw new SiteRefused('The archive has too many headers without a file.');
  });
  // Without this handler, an error would leave the reader waiting: pipe does not forward errors.
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
    throw new SiteRefused('The archive is not a tar file, or it is damaged or incomplete.');
  }
}

/** What tar-stream's reader has and does not declare. */
interface ReaderParts {
  _header: { type: string };
  /** Called with the content of each extra header. */
  _decodeLongHeader: (content: Buffer) => void;
}

/**
 * Creates a reader that refuses a long pax global header. Its records apply to all later entries, and the reader copies
 * them for each entry: 100,000 records take about 100 ms per copy. Only the reader knows which blocks are headers: the
 * content of a file may look like one.
 */
function createReader(): Extract {
  const reader = extract() as Extract & ReaderParts;
  const decode = reader._decodeLongHeader.bind(reader);
  reader._decodeLongHeader = (content) => {
    if (reader._header.type === 'pax-global-header' && content.length > MAX_GLOBAL_HEADER_BYTES)
      throw new SiteRefused(
        `The archive has a global pax header longer than ${MAX_GLOBAL_HEADER_BYTES} bytes.`,
      );
    decode(content);
  };
  return reader;
}

/** Yields to other requests between slices, because a tar can consist of headers alone. */
async function* slicesOf(tar: Buffer, onRead: (readBytes: number) => void): AsyncGenerator<Buffer> {
  for (let at = 0; at < tar.length; at += SLICE_BYTES) {
    onRead(at);
    yield tar.subarray(at, at + SLICE_BYTES);
    await nextTurn();
  }
}

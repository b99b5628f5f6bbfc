import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { extract, type Extract, type Header } from 'tar-stream';
import { formatOf, HOW_TO_PACK } from './archive-format.js';
import { refuseEntry, SiteRefused, type EntryKind, type SiteEntry } from './collect-site.js';
import { assertPlainPax } from './pax-header.js';
import { fillHoles, realNameAndSize } from './sparse-file.js';

/** Overhead of a tar entry: its header, an extra header for a long name, and the padding of all three. */
const HEADER_BYTES = 2048;
/** Allowance of the tar for additional headers before entries, and for the blocks after the last entry. */
const SPARE_BYTES = 2 * 1024 * 1024;
/** Holds at most 64 headers, which take a few milliseconds to parse. */
const SLICE_BYTES = 32 * 1024;
/** The global header that git writes has 52 bytes. */
const MAX_GLOBAL_HEADER_BYTES = 511;
/** Where the type of an entry is, counted back from the end of its header (POSIX.1-2024 "pax", ustar). */
const TYPE_BEFORE_CONTENT = 512 - 156;

/** The types of GNU tar that tar-stream does not know. Each changes what the entry or the archive means. */
const GNU_TYPES: Readonly<Record<string, string>> = {
  D: 'is from an incremental archive, which can lack files: pack without --listed-incremental (-g)',
  M: 'is the rest of a file in another volume: pack without --multi-volume (-M)',
  S: 'is stored with its holes left out: pack without --sparse (-S)',
};
/** The type of the name that `tar --label` gives an archive. */
const LABEL = 'V';

/**
 * Reads the entries of a tar: v7, ustar and pax (POSIX.1-2024), and those of GNU tar. Refuses an entry that it cannot
 * read as the packer meant it.
 * @throws SiteRefused
 */
export async function* readTar(tar: Buffer): AsyncGenerator<SiteEntry> {
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
      const header = entry.header as EntryHeader;
      accountedBytes += HEADER_BYTES + header.size;
      const type = String.fromCharCode(tar[header.byteOffset - TYPE_BEFORE_CONTENT] ?? 0);
      const gnuFault = GNU_TYPES[type];
      if (gnuFault !== undefined) throw refuseEntry(header.name, gnuFault);
      const kind = kindOf(header);
      // Not read: the size of a folder is a limit for its entries, and no content follows (POSIX.1-2024 "pax", ustar).
      const bytes = kind === 'directory' ? Buffer.alloc(0) : await contentOf(entry as AsyncIterable<Buffer>);
      if (type !== LABEL) yield siteEntryOf(header, kind, bytes);
    }
  } catch (error) {
    if (error instanceof SiteRefused) throw error;
    throw new SiteRefused(faultOfTar(tar));
  }
  // The last block is not empty, so the packer has not ended the archive.
  if (reader._header !== null)
    throw new SiteRefused(
      'The archive is incomplete: the empty blocks at the end of a tar file are missing.',
    );
}

function siteEntryOf(header: EntryHeader, kind: EntryKind, bytes: Buffer): SiteEntry {
  const real = realNameAndSize(header);
  return real === undefined
    ? { name: header.name, kind, sizeBytes: bytes.length, read: () => Promise.resolve(bytes) }
    : { ...real, kind, read: () => Promise.resolve(fillHoles(real, bytes)) };
}

/** A file whose name ends with a slash is a folder: before POSIX, folders had no type. */
function kindOf({ name, type }: EntryHeader): EntryKind {
  return type === 'file' && name.endsWith('/') ? 'directory' : type;
}

async function contentOf(entry: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function faultOfTar(tar: Buffer): string {
  const format = formatOf(tar);
  return format === undefined || format === 'a tar file'
    ? 'The archive is not a tar file, or it is damaged or incomplete.'
    : `The archive contains ${format} in place of a tar file. ${HOW_TO_PACK}`;
}

/** What tar-stream's reader has and does not declare. */
interface ReaderParts {
  /** The last header that was read; null after an empty block, which ends an archive. */
  _header: { type: string } | null;
  /** Called with the content of each extra header. */
  _decodeLongHeader: (content: Buffer) => void;
}

/** What the header of an entry has and tar-stream does not declare. */
interface EntryHeader extends Omit<Header, 'pax' | 'type'> {
  type: EntryKind;
  pax: Readonly<Record<string, string>> | null;
  /** Where the content of the entry begins in the tar. */
  byteOffset: number;
}

/**
 * Creates a reader that looks at each pax header. It refuses a long global one. The records of a global header apply to
 * all later entries, and the reader copies them for each entry: 100,000 records take about 100 ms per copy. Only the
 * reader knows which blocks are headers: the content of a file may look like one.
 */
function createReader(): Extract & ReaderParts {
  // tar-stream calls v7 an unknown format. The header's checksum is still compared.
  const options: object = { allowUnknownFormat: true };
  const reader = extract(options) as Extract & ReaderParts;
  const decode = reader._decodeLongHeader.bind(reader);
  reader._decodeLongHeader = (content) => {
    const type = reader._header?.type;
    const isGlobal = type === 'pax-global-header';
    if (isGlobal && content.length > MAX_GLOBAL_HEADER_BYTES)
      throw new SiteRefused(
        `The archive has a global pax header longer than ${MAX_GLOBAL_HEADER_BYTES} bytes.`,
      );
    if (isGlobal || type === 'pax-header') assertPlainPax(content, isGlobal);
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

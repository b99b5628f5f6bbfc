import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** Rejects with a zlib error for invalid or truncated data, and with ERR_BUFFER_TOO_LARGE past the limit in bytes. */
type Expand = (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>;

/** The part of zlib that Node 20 lacks. */
interface Zstd {
  zstdDecompress: (
    bytes: Buffer,
    options: { maxOutputLength: number; params: Record<number, number> },
    done: (error: Error | null, expanded: Buffer) => void,
  ) => void;
  constants: { ZSTD_d_windowLogMax: number };
}

/** The content codings of a request body (RFC 9110 section 8.4.1, RFC 8878 section 7.2) that this Node can decode. */
export const CONTENT_CODINGS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['gzip', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)],
  ['deflate', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)],
  ['br', promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)],
  ...('zstdDecompress' in zlib ? [['zstd', expandZstd(zlib as unknown as Zstd)] as const] : []),
]);

/** 8 MB, the largest window of the coding (RFC 9659 section 3). A frame of a few bytes can demand 2 GB. */
const ZSTD_WINDOW_LOG = 23;

function expandZstd({ zstdDecompress, constants }: Zstd): Expand {
  const decompress = promisify(zstdDecompress);
  return async (bytes, limit) =>
    decompress(onlyZstdFrame(bytes), {
      ...limit,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    });
}

/**
 * Returns the one frame with data; skippable frames can be around it. Node reads only the first frame, ignores whatever
 * follows, and before Node 26 takes a truncated frame for a complete one. A reader that goes on would see another body,
 * so several frames with data are rejected. Encoders write one for a body.
 *
 * @throws Error
 */
function onlyZstdFrame(bytes: Buffer): Buffer {
  const frames: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const isSkippable = (bytes.readUInt32LE(at) & 0xff_ff_ff_f0) >>> 0 === 0x18_4d_2a_50;
    const end = isSkippable ? at + 8 + bytes.readUInt32LE(at + 4) : endOfZstdFrame(bytes, at);
    if (end > bytes.length) throw new Error('The last zstd frame is truncated.');
    if (!isSkippable) frames.push(bytes.subarray(at, end));
    at = end;
  }
  const [frame, ...others] = frames;
  if (frame === undefined || others.length > 0)
    throw new Error(`There are ${frames.length} zstd frames with data instead of one.`);
  return frame;
}

/** RFC 8878 section 3.1.1. The content is not checked. @throws RangeError if the frame goes past the end */
function endOfZstdFrame(bytes: Buffer, start: number): number {
  if (bytes.readUInt32LE(start) !== 0xfd_2f_b5_28) throw new Error('This is not a zstd frame.');
  const descriptor = bytes.readUInt8(start + 4);
  const contentSizeFlag = descriptor >> 6;
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const hasChecksum = (descriptor & 0b100) !== 0;
  const dictionaryIdBytes = [0, 1, 2, 4][descriptor & 0b11] ?? 0;
  const contentSizeBytes = contentSizeFlag === 0 ? Number(isSingleSegment) : 1 << contentSizeFlag;
  let at = start + 5 + Number(!isSingleSegment) + dictionaryIdBytes + contentSizeBytes;
  for (let isLast = false; !isLast;) {
    const block = bytes.readUIntLE(at, 3);
    isLast = (block & 1) === 1;
    const isRepeatedByte = ((block >> 1) & 0b11) === 1;
    at += 3 + (isRepeatedByte ? 1 : block >> 3);
  }
  return hasChecksum ? at + 4 : at;
}

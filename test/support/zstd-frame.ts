/** The coding zstd without an encoder (RFC 8878), for frames that no encoder writes, and for Node 20, which has none. */

export interface ZstdFrameOptions {
  /** The window is 2^windowLog bytes. */
  windowLog?: number;
  /** No window: the header has the size of the content instead. */
  singleSegment?: boolean;
  dictionaryId?: number;
  /** Spaces after the content, compressed. */
  spaces?: number;
}

const MAX_BLOCK_BYTES = 128 * 1024;

/** A frame that has the text uncompressed, in blocks as large as they can be, and no checksum. */
export function zstdFrame(
  text: string,
  { windowLog = 17, singleSegment = false, dictionaryId, spaces = 0 }: ZstdFrameOptions = {},
): Buffer {
  const content = Buffer.from(text);
  const header = [
    ...[0x28, 0xb5, 0x2f, 0xfd],
    (singleSegment ? 0b1010_0000 : 0) | (dictionaryId === undefined ? 0 : 1),
    ...(singleSegment ? [] : [(windowLog - 10) << 3]),
    ...(dictionaryId === undefined ? [] : [dictionaryId]),
    ...(singleSegment ? uint32(content.length) : []),
  ];
  const blocks = [block(0, content.length, content, spaces === 0)];
  for (let left = spaces; left > 0; left -= MAX_BLOCK_BYTES)
    blocks.push(block(1, Math.min(left, MAX_BLOCK_BYTES), Buffer.from(' '), left <= MAX_BLOCK_BYTES));
  return Buffer.concat([Buffer.from(header), ...blocks]);
}

function block(type: 0 | 1, size: number, bytes: Buffer, isLast: boolean): Buffer {
  return Buffer.concat([Buffer.from(uint32((size << 3) | (type << 1) | Number(isLast)).slice(0, 3)), bytes]);
}

function uint32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return Array.from(bytes);
}

/** A frame that readers ignore. */
export const ZSTD_SKIPPABLE = Buffer.from([0x50, 0x2a, 0x4d, 0x18, ...uint32(6), ...Buffer.from('nobody')]);

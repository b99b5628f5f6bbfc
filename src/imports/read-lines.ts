import { createReadStream } from 'node:fs';
import type { LinePlace } from './import-record.js';

/** Lines that stand together in a file. */
export interface Lines {
  start: LinePlace;
  /** Where the next ones begin. */
  end: LinePlace;
  /** Without their ends; undefined for one that is too long to be anybody's. */
  lines: readonly (Buffer | undefined)[];
}

const NEWLINE = 0x0a;
/** As for a request's body. */
export const MAX_LINE_BYTES = 64 * 1024;
const MAX_LINES = 5000;
/** Names have at most 255 characters: so many bytes of lines are few pets with much around them. */
const MAX_BYTES = 1024 * 1024;

/** Reads a file from a place on, or to `endOffset`, in memory that does not depend on its size. */
export async function* readLines(
  path: string,
  from: LinePlace,
  endOffset = Infinity,
): AsyncGenerator<Lines, void> {
  if (from.offset >= endOffset) return;
  let start = from;
  let { offset } = from;
  let lines: (Buffer | undefined)[] = [];
  let pieces: Buffer[] = [];
  let pieceBytes = 0;

  const endLine = () => {
    lines.push(pieceBytes > MAX_LINE_BYTES ? undefined : withoutReturn(Buffer.concat(pieces)));
    pieces = [];
    pieceBytes = 0;
  };
  const take = (): Lines => {
    const end = { offset, line: start.line + lines.length };
    const taken = { start, end, lines };
    start = end;
    lines = [];
    return taken;
  };

  for await (const chunk of createReadStream(path, { start: from.offset, end: endOffset - 1 })) {
    const bytes = chunk as Buffer;
    for (let at = 0; at < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline === -1 ? bytes.length : newline;
      pieceBytes += end - at;
      if (pieceBytes <= MAX_LINE_BYTES) pieces.push(bytes.subarray(at, end));
      offset += end - at;
      at = end;
      if (newline === -1) continue;
      endLine();
      offset += 1;
      at += 1;
      if (lines.length >= MAX_LINES || offset - start.offset >= MAX_BYTES) yield take();
    }
  }
  if (pieceBytes > 0) endLine();
  if (lines.length > 0) yield take();
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

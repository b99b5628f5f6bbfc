import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import type { LinePlace } from './imports-store.js';

/** The line without its line ending, or the reason why it is unreadable. */
export type Line = string | { unreadable: string };

/** Consecutive lines of a file. */
export interface Lines {
  start: LinePlace;
  /** Where the next lines start. */
  end: LinePlace;
  lines: readonly Line[];
}

const NEWLINE = 0x0a;
/** The same limit as for a request body. */
const MAX_LINE_BYTES = 64 * 1024;
const TOO_LONG: Line = { unreadable: `is longer than ${MAX_LINE_BYTES} bytes` };
const NOT_UTF8: Line = { unreadable: 'body: is not valid UTF-8' };
/** The overhead of each batch costs as much as a few hundred pets. */
const MAX_LINES = 10_000;
/** Names have at most 255 characters, so lines this long are few pets with a lot of whitespace or other content. */
const MAX_BYTES = 1024 * 1024;

/** Reads a file from a position to its end, or to `endOffset`, with memory use independent of the file size. */
export async function* readLines(
  path: string,
  from: LinePlace,
  endOffset = Infinity,
): AsyncGenerator<Lines, void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const endOfAll = Math.min(endOffset, size);
    const bytesAt = async (offset: number) => {
      const bytes = Buffer.allocUnsafe(Math.min(MAX_BYTES, endOfAll - offset));
      for (let length = 0; length < bytes.length;) {
        const { bytesRead } = await file.read(bytes, length, bytes.length - length, offset + length);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
        length += bytesRead;
      }
      return bytes;
    };
    const afterNewline = async (from: number) => {
      for (let offset = from; offset < endOfAll; offset += MAX_BYTES) {
        const newline = (await bytesAt(offset)).indexOf(NEWLINE);
        if (newline !== -1) return offset + newline + 1;
      }
      return endOfAll;
    };

    for (let start = from; start.offset < endOfAll;) {
      const bytes = await bytesAt(start.offset);
      const whole = wholeLines(bytes, start.offset + bytes.length === endOfAll);
      const lines = whole.length > 0 ? linesOf(whole) : [TOO_LONG];
      const offset = whole.length > 0 ? start.offset + whole.length : await afterNewline(start.offset);
      const end = { offset, line: start.line + lines.length };
      yield { start, end, lines };
      start = end;
    }
  } finally {
    await file.close();
  }
}

/** Parses a single line. */
export function toLine(bytes: Buffer): Line {
  return isUtf8(bytes) ? checked(bytes.toString()) : NOT_UTF8;
}

/** Returns the first complete lines, as many as a batch can hold. The last line of a file can lack a line ending. */
function wholeLines(bytes: Buffer, isLast: boolean): Buffer {
  let end = 0;
  for (let count = 0; count < MAX_LINES; count += 1) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return isLast ? bytes : bytes.subarray(0, end);
    end = newline + 1;
  }
  return bytes.subarray(0, end);
}

/** Decodes all lines together, which is much faster, unless one of them is not UTF-8 and must be found. */
function linesOf(bytes: Buffer): Line[] {
  const inner = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  if (isUtf8(inner)) return inner.toString().split('\n').map(checked);
  const each = inner.toString('latin1').split('\n');
  return each.map((line) => toLine(Buffer.from(line, 'latin1')));
}

function checked(line: string): Line {
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) return TOO_LONG;
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

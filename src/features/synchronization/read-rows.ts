import { TextDecoder } from 'node:util';
import { CsvError, parse, type Options } from 'csv-parse';
import { createPieces } from '../../lib/pieces.js';
import type { Rejection } from '../pets/import/insert-lines.js';
import {
  parseCsvRow,
  parseHeader,
  parseJsonRow,
  type Header,
  type ParsedRow,
  type Row,
} from './parse-row.js';
import { FileRefused, MAX_FILE_BYTES, type FileFormat } from './pets-import.js';

export interface NumberedRow extends Row {
  /** Starts at 1; the header of a CSV file is line 1. */
  line: number;
}

/** Consecutive lines of a file, without blank lines. */
export interface RowBatch {
  rows: NumberedRow[];
  rejections: Rejection[];
}

export interface FileToRead {
  chunks: AsyncIterable<Uint8Array>;
  format: FileFormat;
  ignoreUnknown: boolean;
  /**
   * Called with the number of lines that arrived, before they are read: blank lines are lines, the header of a CSV file is
   * none, and each BYTES_PER_LINE bytes count as a line at least. If it throws, nothing more is read.
   */
  onWork?: (lines: number) => Promise<void>;
}

/** The same limit as for a request body. */
const MAX_LINE_BYTES = 64 * 1024;
const ROWS_AT_ONCE = 500;
/** A longer line takes the time of several. */
export const BYTES_PER_LINE = 320;
/** Characters, or lines, that are read before other work gets a turn. */
const PIECE = 4096;
const BLANK = /^\s*$/;
const LINE_BREAK = /\r\n|\r|\n/;
const BLANK_LINES = /^[\r\n]*/;

/**
 * Reads the animals of a file as it arrives, with memory use independent of its size.
 * @throws FileRefused; errors of `chunks`
 */
export async function* readRows(file: FileToRead): AsyncGenerator<RowBatch, void> {
  const lines = file.format === 'csv' ? csvRows(file) : jsonRows(file);
  let batch: RowBatch = { rows: [], rejections: [] };
  for await (const { line, parsed } of lines) {
    if ('reason' in parsed) batch.rejections.push({ line, reason: parsed.reason });
    else batch.rows.push({ line, ...parsed });
    if (batch.rows.length + batch.rejections.length < ROWS_AT_ONCE) continue;
    yield batch;
    batch = { rows: [], rejections: [] };
  }
  if (batch.rows.length + batch.rejections.length > 0) yield batch;
}

interface NumberedLine {
  line: number;
  parsed: ParsedRow;
}

async function* jsonRows(file: FileToRead): AsyncGenerator<NumberedLine> {
  const { ignoreUnknown } = file;
  const endPiece = createPieces();
  let line = 0;
  let rest = '';
  let isTooLong = false;
  const parsedLine = (text: string): NumberedLine[] => {
    line += 1;
    const wasTooLong = isTooLong;
    isTooLong = false;
    if (wasTooLong || text.length > MAX_LINE_BYTES) return [{ line, parsed: { reason: TOO_LONG } }];
    return BLANK.test(text) ? [] : [{ line, parsed: parseJsonRow(text, ignoreUnknown) }];
  };
  for await (const text of decoded(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) {
      yield* parsedLine(one);
      if (line % PIECE === 0) await endPiece();
    }
    if (rest.length <= MAX_LINE_BYTES) continue;
    isTooLong = true;
    rest = '';
  }
  if (rest !== '' || isTooLong) yield* parsedLine(rest);
}

const [LF, CR] = [0x0a, 0x0d];
const TOO_LONG = `is longer than ${MAX_LINE_BYTES} bytes`;

async function* csvRows(file: FileToRead): AsyncGenerator<NumberedLine> {
  const { ignoreUnknown } = file;
  const texts = decoded(file)[Symbol.asyncIterator]();
  const head = await headOf(texts);
  let nextLine = 1;
  const parser = parse({
    delimiter: delimiterOf(head),
    relax_column_count: true,
    // A record for each blank line would cost as much as one for an animal.
    skip_empty_lines: true,
    max_record_size: MAX_LINE_BYTES,
    raw: true,
    // Called while the text is parsed, so that `nextLine` is where a malformed line begins.
    on_record: (parsed: unknown) => {
      const { raw, record } = parsed as { raw: string; record: string[] };
      // The text of a record begins with the blank lines before it.
      const [blankLines = ''] = BLANK_LINES.exec(raw) ?? [];
      const line = nextLine + blankLines.split(LINE_BREAK).length - 1;
      nextLine += raw.replace(/[\r\n]$/, '').split(LINE_BREAK).length;
      return { line, cells: record };
    },
  } as unknown as Options);
  const writing = write(parser, head, texts);
  let header: Header | undefined;
  try {
    for await (const { line, cells } of parser as AsyncIterable<{ line: number; cells: string[] }>) {
      if (cells.every((cell) => BLANK.test(cell))) continue;
      if (header === undefined) header = parseHeader(cells, ignoreUnknown);
      else yield { line, parsed: parseCsvRow(cells, header) };
    }
  } catch (error) {
    throw error instanceof CsvError ? new FileRefused(`Line ${nextLine} ${describe(error)}.`) : error;
  } finally {
    parser.destroy();
    await writing;
  }
  if (header === undefined)
    throw new FileRefused('The file has no header line with the names of the columns.');
}

/** Writes all texts to the parser, at its pace. @throws errors of `texts`, which end the parser too */
async function write(
  parser: ReturnType<typeof parse>,
  head: string,
  texts: AsyncIterator<string>,
): Promise<void> {
  try {
    const endPiece = createPieces();
    for (let text: string | undefined = head; text !== undefined; text = await nextOf(texts))
      for (let at = 0; at < text.length; at += PIECE) {
        if (parser.destroyed) return;
        if (!parser.write(text.slice(at, at + PIECE))) await drained(parser);
        await endPiece();
      }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  } finally {
    await texts.return?.();
  }
}

function drained(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      parser.off('drain', go).off('close', go);
      resolve();
    };
    parser.on('drain', go).on('close', go);
  });
}

async function nextOf(texts: AsyncIterator<string>): Promise<string | undefined> {
  const next = await texts.next();
  return next.done === true ? undefined : next.value;
}

/** The beginning of the file, with its whole first line. */
async function headOf(texts: AsyncIterator<string>): Promise<string> {
  let head = '';
  // Looks at each character once, however small the parts are in which the file arrives.
  let hasBegun = false;
  while (head.length < MAX_LINE_BYTES) {
    const text = await nextOf(texts);
    if (text === undefined) break;
    head += text;
    const begins = hasBegun ? 0 : text.search(/\S/);
    if (begins === -1) continue;
    hasBegun = true;
    if (text.slice(begins).search(/[\r\n]/) !== -1) break;
  }
  return head;
}

/** A spreadsheet writes what its country uses: the character that is most frequent in the first line. */
function delimiterOf(head: string): string {
  const [first = ''] = head.trimStart().split(/[\r\n]/, 1);
  const countOf = (delimiter: string) => first.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, other) => (countOf(other) > countOf(best) ? other : best));
}

function describe(error: CsvError): string {
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return TOO_LONG;
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'has a quote that is not closed, so the file cannot be read further';
    default:
      return 'is not valid CSV: put a field with a quote in quotes, and double the quote ("Rex ""the"" dog")';
  }
}

/** @throws FileRefused if the bytes are not UTF-8, or too many */
async function* decoded({ chunks, format, onWork }: FileToRead): AsyncGenerator<string> {
  // Removes a byte order mark at the beginning.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let lines = format === 'csv' ? -1 : 0;
  let counted = 0;
  let last = LF;
  const count = async () => {
    const due = Math.max(lines, Math.floor(bytes / BYTES_PER_LINE)) - counted;
    if (due <= 0) return;
    counted += due;
    await onWork?.(due);
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES)
      throw new FileRefused(
        `The file is larger than ${MAX_FILE_BYTES} bytes. Split it, without deleteMissing.`,
        true,
      );
    for (const byte of chunk) {
      if (byte === LF ? last !== CR : byte === CR) lines += 1;
      last = byte;
    }
    await count();
    yield decodedBy(decoder, chunk);
  }
  if (last !== LF && last !== CR) lines += 1;
  await count();
  yield decodedBy(decoder);
}

function decodedBy(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new FileRefused(
      'The file is not valid UTF-8. Save it as UTF-8: a spreadsheet calls it "CSV UTF-8".',
    );
  }
}

import { TextDecoder } from 'node:util';
import { CsvError, parse, type Options } from 'csv-parse';
import type { Rejection } from './insert-lines.js';
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
}

/** The same limit as for a request body. */
const MAX_LINE_BYTES = 64 * 1024;
const ROWS_AT_ONCE = 500;
const BLANK = /^\s*$/;
const LINE_BREAK = /\r\n|\r|\n/;

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

async function* jsonRows({ chunks, ignoreUnknown }: FileToRead): AsyncGenerator<NumberedLine> {
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
  for await (const text of decoded(chunks)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) yield* parsedLine(one);
    if (rest.length <= MAX_LINE_BYTES) continue;
    isTooLong = true;
    rest = '';
  }
  if (rest !== '' || isTooLong) yield* parsedLine(rest);
}

const TOO_LONG = `is longer than ${MAX_LINE_BYTES} bytes`;

async function* csvRows({ chunks, ignoreUnknown }: FileToRead): AsyncGenerator<NumberedLine> {
  const texts = decoded(chunks)[Symbol.asyncIterator]();
  const head = await headOf(texts);
  let nextLine = 1;
  const parser = parse({
    delimiter: delimiterOf(head),
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
    raw: true,
    // Called while the text is parsed, so that `nextLine` is where a malformed line begins.
    on_record: (parsed: unknown) => {
      const { raw, record } = parsed as { raw: string; record: string[] };
      const line = nextLine;
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
    for (let text: string | undefined = head; text !== undefined; text = await nextOf(texts)) {
      if (parser.destroyed) return;
      if (!parser.write(text))
        await new Promise<void>((resolve) => {
          const go = () => {
            parser.off('drain', go).off('close', go);
            resolve();
          };
          parser.on('drain', go).on('close', go);
        });
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  } finally {
    await texts.return?.();
  }
}

async function nextOf(texts: AsyncIterator<string>): Promise<string | undefined> {
  const { done, value } = await texts.next();
  return done === true ? undefined : value;
}

/** The beginning of the file, with its whole first line. */
async function headOf(texts: AsyncIterator<string>): Promise<string> {
  let head = '';
  while (head.length < MAX_LINE_BYTES && !/\S.*[\r\n]/.test(head)) {
    const text = await nextOf(texts);
    if (text === undefined) break;
    head += text;
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
async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Removes a byte order mark at the beginning.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES)
      throw new FileRefused(
        `The file is larger than ${MAX_FILE_BYTES} bytes. Split it, without deleteMissing.`,
        true,
      );
    yield decodedBy(decoder, chunk);
  }
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

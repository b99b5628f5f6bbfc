import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { invalidRequest } from '../../../lib/errors.js';
import type { ImportRecord } from './imports-store.js';
import type { Rejection } from './insert-lines.js';

/** The rejected lines of an import, as newline-delimited JSON next to the imported file. */
export interface RejectedLines {
  path: string;
  add: (rejections: readonly Rejection[]) => void;
  /**
   * Keeps one entry per line, ordered by line number: batches end in any order, and another run may have added entries.
   */
  settle: () => void;
}

export interface RejectedLinesPlace {
  /** Where to list the rejected lines. */
  path: string;
  /** The file to import. */
  source: string;
  /** The id of the import: the SHA-256 of the file's content, in hex. */
  id: string;
  /** Whether the list replaces another file. */
  overwrite: boolean;
}

/**
 * Checks that a list of rejected lines can be at `path` without the loss of another file: nothing is there, or an empty
 * file, or a list of the same import. Changes nothing.
 * @throws ApiError invalid_request if `path` is the imported file, by whatever link, or no regular file; and, without
 * `overwrite`, if it is another file
 */
export function checkRejectedLines({ path, source, id, overwrite }: RejectedLinesPlace): void {
  const refuse = (message: string) => invalidRequest({ field: 'rejected', message: `${path} ${message}` });
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const there = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (there?.isFile() !== true) throw refuse('is not a regular file. Choose another name');
  const imported = statSync(source, { bigint: true });
  if (there.dev === imported.dev && there.ino === imported.ino)
    throw refuse('is the file to import. Choose another name for the list of rejected lines');
  if (!overwrite && !linesIn(path).every((line) => toEntry(line, id) !== undefined || isCutShort(line)))
    throw refuse(
      'exists and is no list of the rejected lines of this file. Choose another name with --rejected, or replace the ' +
        'file with --overwrite',
    );
}

/**
 * Keeps entries of earlier runs of the import, except for lines that are read again. Call `checkRejectedLines` first:
 * everything else in the file is replaced.
 */
export function openRejectedLines(link: string, { id, next, pending, counts }: ImportRecord): RejectedLines {
  // The target of a link is replaced, not the link.
  const path = exists(link) ? realpathSync(link) : link;
  const known = counts.rejected + pending.length > 0 ? readEntries(path, id) : [];
  const isDone = ({ line }: Rejection) =>
    line < next.line && !pending.some(({ start, end }) => line >= start.line && line < end.line);
  replaceEntries(path, known.filter(isDone), id);
  return {
    path,
    add: (rejections) =>
      appendFileSync(path, rejections.map((rejection) => toLine(rejection, id)).join(''), { flush: true }),
    settle() {
      const byLine = new Map(readEntries(path, id).map((entry) => [entry.line, entry]));
      replaceEntries(
        path,
        [...byLine.values()].sort((a, b) => a.line - b.line),
        id,
      );
    },
  };
}

function replaceEntries(path: string, entries: readonly Rejection[], id: string): void {
  if (entries.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  // Replaces the file atomically, because most of its entries exist nowhere else.
  const whole = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(whole, entries.map((entry) => toLine(entry, id)).join(''), { flag: 'wx', flush: true });
    renameSync(whole, path);
  } catch (error) {
    rmSync(whole, { force: true });
    throw error;
  }
}

function readEntries(path: string, id: string): Rejection[] {
  return linesIn(path).flatMap((line) => toEntry(line, id) ?? []);
}

function linesIn(path: string): string[] {
  return exists(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The entry in a line of this import's list. */
function toEntry(text: string, id: string): Rejection | undefined {
  try {
    const { line, reason, import: of } = JSON.parse(text) as Record<string, unknown>;
    const isEntry = typeof line === 'number' && typeof reason === 'string' && of === shortId(id);
    return isEntry ? { line, reason } : undefined;
  } catch {
    return undefined;
  }
}

const ENTRY_BEGIN = '{"line":';

/**
 * Whether an interruption cut the entry. It is about a line that will be read again: the interruption also ended the
 * import.
 */
function isCutShort(line: string): boolean {
  try {
    JSON.parse(line);
    return false;
  } catch {
    return ENTRY_BEGIN.startsWith(line.slice(0, ENTRY_BEGIN.length));
  }
}

function toLine({ line, reason }: Rejection, id: string): string {
  return `${JSON.stringify({ line, reason, import: shortId(id) })}\n`;
}

/** Enough of the SHA-256 to tell the lists of two files apart. */
function shortId(id: string): string {
  return id.slice(0, 16);
}

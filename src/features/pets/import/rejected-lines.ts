import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Keeps entries of earlier runs, except for lines that are read again. */
export function openRejectedLines(path: string, { next, pending, counts }: ImportRecord): RejectedLines {
  const known = counts.rejected + pending.length > 0 ? readEntries(path) : [];
  const isDone = ({ line }: Rejection) =>
    line < next.line && !pending.some(({ start, end }) => line >= start.line && line < end.line);
  replaceEntries(path, known.filter(isDone));
  return {
    path,
    add: (rejections) => appendFileSync(path, rejections.map(toLine).join(''), { flush: true }),
    settle() {
      const byLine = new Map(readEntries(path).map((entry) => [entry.line, entry]));
      replaceEntries(
        path,
        [...byLine.values()].sort((a, b) => a.line - b.line),
      );
    },
  };
}

function replaceEntries(path: string, entries: readonly Rejection[]): void {
  if (entries.length === 0) {
    rmSync(path, { force: true });
    return;
  }
  // Replaces the file atomically, because most of its entries exist nowhere else.
  const whole = `${path}.new`;
  writeFileSync(whole, entries.map(toLine).join(''), { flush: true });
  renameSync(whole, path);
}

function readEntries(path: string): Rejection[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').flatMap(toEntry);
}

/** A truncated entry is about lines that will be read again: the interruption that cut it also ended the import. */
function toEntry(line: string): Rejection[] {
  try {
    return [JSON.parse(line) as Rejection];
  } catch {
    return [];
  }
}

function toLine({ line, reason }: Rejection): string {
  return `${JSON.stringify({ line, reason })}\n`;
}

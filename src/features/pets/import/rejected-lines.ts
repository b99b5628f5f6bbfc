import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ImportRecord } from './import-record.js';
import type { Rejection } from './insert-lines.js';

/** The lines of an import that were rejected, as newline-delimited JSON beside the imported file. */
export interface RejectedLines {
  path: string;
  add: (rejections: readonly Rejection[]) => void;
  /** Each line once, by its number: parts end in any order, and another run may have added some of ours. */
  settle: () => void;
}

/** Those of earlier runs stay, but for lines that are looked at again. */
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
  // Whole or not at all: of most of its lines nobody else knows.
  const whole = `${path}.new`;
  writeFileSync(whole, entries.map(toLine).join(''), { flush: true });
  renameSync(whole, path);
}

function readEntries(path: string): Rejection[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').flatMap(toEntry);
}

/** A line that was cut off is of lines that will be looked at again: what ended it ended the import too. */
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

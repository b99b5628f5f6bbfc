import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    add: (rejections) => appendFileSync(path, rejections.map(toLine).join('')),
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
  if (entries.length > 0) writeFileSync(path, entries.map(toLine).join(''));
  else rmSync(path, { force: true });
}

function readEntries(path: string): Rejection[] {
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Rejection);
}

function toLine({ line, reason }: Rejection): string {
  return `${JSON.stringify({ line, reason })}\n`;
}

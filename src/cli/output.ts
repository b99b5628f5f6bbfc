import { relativeTime } from './relative-time.js';
import { paint, paintState } from './terminal-colors.js';

/**
 * A time is ISO 8601 for programs, and for people also its distance from now. A boolean is `yes` or `no` for people, and
 * a list has spaces between its items.
 */
type Cell = string | number | boolean | Date | null | readonly string[];
/** A row for people and programs: `--json` prints it unchanged. */
export type Row = Record<string, Cell>;

export interface Output {
  json: boolean;
  write: (text: string) => void;
}

const COLUMN_GAP = '  ';

/** Prints rows as a table with relative times, or as a JSON array. */
export function printRows({ json, write }: Output, rows: readonly Row[], emptyMessage: string): void {
  if (json) write(`${JSON.stringify(rows, null, 2)}\n`);
  else write(rows.length === 0 ? `${emptyMessage}\n` : table(rows));
}

/** Prints one row with a line for each field, or as a JSON object. */
export function printRow({ json, write }: Output, row: Row): void {
  if (json) {
    write(`${JSON.stringify(row, null, 2)}\n`);
    return;
  }
  const titles = Object.keys(row).map(titleOf);
  const width = Math.max(...titles.map((title) => title.length));
  Object.entries(row).forEach(([name, value], i) => {
    const title = paint('bold', (titles[i] ?? '').padEnd(width));
    write(`${title}${COLUMN_GAP}${paintState(name, detailed(value))}\n`);
  });
}

function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns.map(titleOf), ...rows.map((row) => columns.map((name) => brief(row[name] ?? null)))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  const lines = cells.map((line, row) =>
    line
      .map((cell, i) => {
        const isLast = i === line.length - 1;
        const padding = isLast ? '' : ' '.repeat((widths[i] ?? 0) - cell.length);
        return `${row === 0 ? paint('bold', cell) : paintState(columns[i] ?? '', cell)}${padding}`;
      })
      .join(COLUMN_GAP),
  );
  return `${lines.join('\n')}\n`;
}

/** The title of a field for people: `last used` for `lastUsedAt`. */
function titleOf(name: string): string {
  return name.replace(/At$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function brief(value: Cell): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Date) return relativeTime(value, Date.now());
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  return text === '' ? '-' : text;
}

function detailed(value: Cell): string {
  return value instanceof Date ? `${value.toISOString()} (${brief(value)})` : brief(value);
}

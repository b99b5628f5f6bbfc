/** A row for people and programs: `--json` prints it unchanged. */
export type Row = Record<string, string | number | null>;

export interface Output {
  json: boolean;
  write: (text: string) => void;
}

/** Prints rows as a table, or as a JSON array. */
export function printRows({ json, write }: Output, rows: readonly Row[], emptyMessage: string): void {
  if (json) write(`${JSON.stringify(rows, null, 2)}\n`);
  else write(rows.length === 0 ? `${emptyMessage}\n` : table(rows));
}

/** Prints one row with a line for each field, or as a JSON object. */
export function printRow({ json, write }: Output, row: Row): void {
  if (json) write(`${JSON.stringify(row, null, 2)}\n`);
  else {
    const width = Math.max(...Object.keys(row).map((name) => name.length));
    for (const [name, value] of Object.entries(row)) write(`${name.padEnd(width)}  ${value ?? '-'}\n`);
  }
}

function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '-')))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
    .concat('\n');
}

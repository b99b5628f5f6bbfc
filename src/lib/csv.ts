/** A formula, or white space that a spreadsheet removes in front of one. Such a cell would run when the file is opened. */
const FORMULA = /^[\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/**
 * One line of CSV (RFC 4180), with its line break. A text that a spreadsheet would take for a formula gets an
 * apostrophe in front, which makes it a text there.
 */
export function csvLine(cells: readonly (string | null | undefined)[]): string {
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

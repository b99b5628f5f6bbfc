/** A formula, or white space that a spreadsheet removes in front of one. Such a cell would run when the file is opened. */
const FORMULA = /^[\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/**
 * One line of CSV (RFC 4180), with its line break. A text that a spreadsheet would take for a formula gets an
 * apostrophe in front, which makes it a text there.
 */
export function csvLine(cells: readonly (string | null | undefined)[]): string {
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
}

/**
 * Like csvLine, so that `unguardedCell` returns each text exactly. A number has no apostrophe: spreadsheets show it as
 * one, negative or not.
 */
export function exactCsvLine(cells: readonly (string | bigint | undefined)[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? quotedCell(guardedCell(cell)) : String(cell ?? ''))).join(',')}\r\n`;
}

/** The text of a cell without the apostrophe that `exactCsvLine` puts in front of a formula. */
export function unguardedCell(text: string): string {
  return text.startsWith("'") && isGuarded(text) ? text.slice(1) : text;
}

function guardedCell(text: string): string {
  return isGuarded(text) ? `'${text}` : text;
}

/** Whether a text is a formula, with any number of apostrophes in front. */
function isGuarded(text: string): boolean {
  return FORMULA.test(text.replace(/^'+/, ''));
}

function csvCell(text: string): string {
  return quotedCell(FORMULA.test(text) ? `'${text}` : text);
}

function quotedCell(safe: string): string {
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

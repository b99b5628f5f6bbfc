import type { Facts } from './facts.js';

/** The head of a report: its title and what it was made with. */
export function renderFacts(
  title: string,
  { tookSeconds, commit, versions, processors, processor }: Facts,
): string[] {
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `# ${title}`,
    '',
    `Commit ${commit}, ${processors} processors (${processor}), ${Math.ceil(tookSeconds / 60)} min. ${programs.join(', ')}.`,
    '',
  ];
}

/** All columns but the first hold numbers. An empty line follows. */
export function renderRows(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [renderRow(columns), `|---|${'--:|'.repeat(columns.length - 1)}`, ...rows.map(renderRow), ''];
}

/** A table under a heading of its own. */
export function renderSection(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  return [`## ${title}`, '', ...renderRows(columns, rows)];
}

function renderRow(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

export function round(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

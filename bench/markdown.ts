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

/** A table's first two lines; all columns but the first hold numbers. */
export function renderHead(columns: readonly string[]): string[] {
  return [renderRow(columns), `|---|${'--:|'.repeat(columns.length - 1)}`];
}

export function renderRow(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

export function round(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Facts } from './facts.js';

/** The repository keeps the newest page of each benchmark, and no JSON. */
const PAGES = join(__dirname, 'results');

/** The line about `--results` in the help of each benchmark. */
export const RESULTS_HELP =
  'where to keep the page and the JSON of every round (the page replaces that in bench/results); "" for nowhere';

/**
 * Keeps the report of the benchmark `name`. Prints where.
 * @param folder as in RESULTS_HELP; undefined if the option was not given
 */
export async function keepReport(
  folder: string | undefined,
  name: string,
  report: { facts: Facts },
  markdown: string,
): Promise<void> {
  if (folder === '') return;
  const path = folder === undefined ? join(PAGES, name) : join(folder, `${name}-${minuteOf(report.facts)}`);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.json`, `${JSON.stringify(report, undefined, 1)}\n`);
  }
  await writeFile(`${path}.md`, markdown);
  process.stderr.write(`kept as ${path}.md${folder === undefined ? '' : ' and .json'}\n`);
}

/** As `2026-11-27T0251`: the minute in which the run began. */
function minuteOf({ startedAt }: Facts): string {
  return startedAt.slice(0, 16).replace(':', '');
}

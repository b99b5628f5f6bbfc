import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Facts } from './facts.js';

/** Writes JSON and markdown named after the minute the run began. @returns where, for people */
export async function keepReport(
  folder: string,
  prefix: string,
  report: { facts: Facts },
  markdown: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, prefix + report.facts.startedAt.slice(0, 16).replace(':', ''));
  await writeFile(`${path}.json`, `${JSON.stringify(report, undefined, 1)}\n`);
  await writeFile(`${path}.md`, markdown);
  return `kept as ${path}.json and .md`;
}

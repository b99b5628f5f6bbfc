import type { Command } from 'commander';
import { positiveNumber } from './arguments.js';
import { printRows, type Output, type Row } from './output.js';

/** How much of a list to print. For Command.action(), after withLimit. */
export interface ListOptions {
  limit?: number;
  all?: boolean;
}

interface Page<Entry> {
  entries: (Entry & { cursor: string })[];
  hasMore: boolean;
}

interface ListFormat<Entry> {
  toRow: (entry: Entry) => Row;
  /** For an entry whose JSON has more than the row. */
  toJson?: (entry: Entry) => unknown;
  emptyMessage: string;
}

const DEFAULT_LIMIT = 100;
const PAGE_SIZE = 100;

export function withLimit(command: Command): Command {
  return command
    .option(
      '--limit <n>',
      `the most entries to list (default: ${DEFAULT_LIMIT}, or all with --json)`,
      positiveNumber,
    )
    .option('--all', 'list all entries');
}

/**
 * Prints a list up to the limit, and says when there are more entries: with `--json` on standard error, where programs
 * do not read the list. With `--json` and no limit, prints the whole list.
 */
export async function printList<Entry>(
  output: Output,
  { limit, all = output.json && limit === undefined }: ListOptions,
  readPage: (first: number, after: string | undefined) => Promise<Page<Entry>>,
  { toRow, toJson = toRow, emptyMessage }: ListFormat<Entry>,
): Promise<void> {
  const most = all ? Infinity : (limit ?? DEFAULT_LIMIT);
  const found: Entry[] = [];
  let page: Page<Entry> | undefined;
  do {
    page = await readPage(Math.min(PAGE_SIZE, most - found.length), page?.entries.at(-1)?.cursor);
    found.push(...page.entries);
  } while (page.hasMore && found.length < most);
  if (output.json) output.write(`${JSON.stringify(found.map(toJson), null, 2)}\n`);
  else printRows(output, found.map(toRow), emptyMessage);
  if (!page.hasMore) return;
  const more = `These are the first ${found.length}. To see more, use --limit <n> or --all.\n`;
  if (output.json) process.stderr.write(more);
  else output.write(`\n${more}`);
}

import { Command } from 'commander';
import { resultOf } from '../lib/result-of.js';
import { DAY_MS } from '../lib/clock.js';
import { ApiError, faultsOf, invalidRequest } from '../lib/errors.js';
import type { CommandServices } from '../app/command-services.js';
import type { UsageRange } from '../features/usage/usage-range.js';
import type { Usage } from '../features/usage/usage-service.js';
import { date } from './arguments.js';
import { findProject } from './choose-project.js';
import { withServices } from './context.js';
import { printRow, printRows, type Output } from './output.js';

interface ShowOptions {
  from?: Date;
  to?: Date;
}

export function usageCommand(): Command {
  const usage = new Command('usage').description('what was asked with a key, or with all keys of a project');

  usage
    .command('show')
    .description(
      'requests by UTC day and by operation, days without any left out; the last 30 days unless said',
    )
    .argument('<keyOrProject>', 'a key by its id, a project by its id or slug')
    .option('--from <date>', 'the first day', date)
    .option('--to <date>', 'the last day', endOf)
    .action((id: string, options: ShowOptions, command: Command) =>
      withServices(command, (services, output) => show(services, output, id, options)),
    );
  return usage;
}

async function show(
  services: CommandServices,
  output: Output,
  keyOrProject: string,
  options: ShowOptions,
): Promise<void> {
  const { apiKeys, usage } = services;
  const range = rangeOf(usage, options);
  const isKey = keyOrProject.startsWith('key_');
  const { id } = await (isKey ? apiKeys.get(keyOrProject) : findProject(services, keyOrProject));
  const [found] = await usage.of([id], range);
  if (found !== undefined) print(output, found);
}

function print(output: Output, { range, asOf, requests, cost, refused, bans, days, groups }: Usage): void {
  const totals = { requests, cost, refused, bans, asOf: asOf.toISOString() };
  if (output.json) {
    const { from, to } = range;
    output.write(`${JSON.stringify({ from, to, ...totals, days, groups }, null, 2)}\n`);
    return;
  }
  const asked = days.filter((day) => day.requests > 0);
  printRows(
    output,
    asked.map((day) => ({ day: day.date, requests: day.requests, cost: day.cost, refused: day.refused })),
    nothingAsked(range),
  );
  output.write('\n');
  if (groups.length > 0) {
    printRows(
      output,
      groups.map((group) => ({ ...group })),
      '',
    );
    output.write('\n');
  }
  printRow(output, totals);
}

function nothingAsked({ days }: UsageRange): string {
  const [first = '', last = first] = [days[0], days.at(-1)];
  return `Nothing was asked ${first === last ? `on ${first}` : `from ${first} to ${last}`}.`;
}

/** The end of the range: a day counts to its end, a time counts as given. */
function endOf(text: string): Date {
  return new Date(date(text).getTime() + (text.length === 'YYYY-MM-DD'.length ? DAY_MS : 0));
}

/** @throws ApiError invalid_request that names the options of the command line */
function rangeOf(usage: CommandServices['usage'], { from, to }: ShowOptions): UsageRange {
  const range = resultOf(() => usage.range(from, to));
  if (!(range instanceof ApiError)) return range;
  throw invalidRequest(
    faultsOf(range).map(({ field, message }) => ({ field, message: message.replace('`to`', '--to') })),
  );
}

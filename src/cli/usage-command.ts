import { Command } from 'commander';
import { resultOf } from '../lib/result-of.js';
import { ApiError, faultsOf, invalidRequest, isNotFound } from '../lib/errors.js';
import type { CommandServices } from '../app/command-services.js';
import type { UsageRange } from '../features/usage/usage-range.js';
import type { Usage } from '../features/usage/usage-service.js';
import { date, endOf } from './arguments.js';
import { findProject } from './choose-project.js';
import { findKeyId } from './find-key.js';
import { withServices } from './context.js';
import { printRow, printRows, type Output } from './output.js';

interface ShowOptions {
  from?: Date;
  to?: Date;
}

export function usageCommand(): Command {
  const usage = new Command('usage').description('show the requests of a key or of a project');

  usage
    .command('show')
    .description('show the requests by UTC day and by operation, without the days that had none')
    .argument('<keyOrProject>', 'the id or name of a key; or the id, slug or name of a project')
    .option('--from <date>', 'the first day (default: 30 days ago)', date)
    .option('--to <date>', 'the last day, included (default: today)', endOf)
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
  const { usage } = services;
  const range = rangeOf(usage, options);
  const [found] = await usage.of([await findId(services, keyOrProject)], range);
  if (found !== undefined) print(output, found);
}

/** A project, if a project and a key have this name. @throws ApiError not_found; invalid_request if several fit */
async function findId(services: CommandServices, text: string): Promise<string> {
  if (text.startsWith('key_')) return (await services.apiKeys.get(text)).id;
  try {
    return (await findProject(services, text)).id;
  } catch (error) {
    if (text.startsWith('proj_') || !isNotFound(error)) throw error;
  }
  return findKeyId(services, text).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new ApiError('not_found', `There is no project or API key with the name ${text}.`);
  });
}

function print(output: Output, { range, asOf, requests, cost, refused, bans, days, groups }: Usage): void {
  if (output.json) {
    const { from, to } = range;
    const totals = { requests, cost, refused, bans, asOf };
    output.write(`${JSON.stringify({ from, to, ...totals, days, groups }, null, 2)}\n`);
    return;
  }
  const busy = days.filter((day) => day.requests > 0);
  printRows(
    output,
    busy.map((day) => ({ day: day.date, requests: day.requests, cost: day.cost, rejected: day.refused })),
    noRequests(range),
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
  printRow(output, { requests, cost, rejected: refused, bans, asOf });
}

function noRequests({ days }: UsageRange): string {
  const [first = '', last = first] = [days[0], days.at(-1)];
  return `There were no requests ${first === last ? `on ${first}` : `from ${first} to ${last}`}.`;
}

/** @throws ApiError invalid_request that names the options of the command line */
function rangeOf(usage: CommandServices['usage'], { from, to }: ShowOptions): UsageRange {
  const range = resultOf(() => usage.range(from, to));
  if (!(range instanceof ApiError)) return range;
  throw invalidRequest(
    faultsOf(range).map(({ field, message }) => ({ field, message: message.replace('`to`', '--to') })),
  );
}

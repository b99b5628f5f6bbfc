import { Command } from 'commander';
import { resultOf } from '../lib/result-of.js';
import { ApiError, faultsOf, invalidRequest, isNotFound } from '../lib/errors.js';
import type { CommandServices } from '../app/command-services.js';
import type { UsageRange } from '../features/usage/usage-range.js';
import { MAX_REFUSALS, type KeyRefusal } from '../features/usage/usage.js';
import type { Usage } from '../features/usage/usage-service.js';
import { date, endOf } from './arguments.js';
import { findProject } from './choose-project.js';
import { findKeyId } from './find-key.js';
import { withServices } from './context.js';
import { printRow, printRows, type Output, type Row } from './output.js';
import { reasonOf } from './rejection-reason.js';

/** How many rejections a person sees; programs get all that the API returns. */
const SHOWN_REFUSALS = 10;

interface ShowOptions {
  from?: Date;
  to?: Date;
}

export function usageCommand(): Command {
  const usage = new Command('usage').description('show the requests of a key or of a project');

  usage
    .command('show')
    .description(
      'show the requests by UTC day and by operation, without the days that had none, and the latest rejections with their reasons',
    )
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
  const id = await findId(services, keyOrProject);
  const [found] = await usage.of([id], range);
  const [refusals = []] = await usage.refusals([id], output.json ? MAX_REFUSALS : SHOWN_REFUSALS);
  if (found !== undefined) print(output, found, refusals);
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

function print(
  output: Output,
  { range, asOf, requests, cost, refused, bans, days, groups }: Usage,
  refusals: readonly KeyRefusal[],
): void {
  if (output.json) {
    const { from, to } = range;
    const totals = { requests, cost, refused, bans, asOf };
    output.write(`${JSON.stringify({ from, to, ...totals, days, groups, refusals }, null, 2)}\n`);
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
  if (refusals.length > 0) {
    output.write('The latest rejected requests:\n');
    printRows(output, refusals.map(toRefusalRow), '');
    output.write('\n');
  }
  printRow(output, { requests, cost, rejected: refused, bans, asOf });
}

function toRefusalRow(refusal: KeyRefusal): Row {
  const { at, keyId, interface: apiInterface, operation, resetAt } = refusal;
  return {
    rejectedAt: at,
    key: keyId,
    interface: apiInterface,
    operation,
    reason: reasonOf(refusal),
    resetAt: resetAt ?? null,
  };
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

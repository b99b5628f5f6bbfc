import { types } from 'node:util';
import type { Command } from 'commander';
import { ApiError, faultsOf } from '../lib/errors.js';

/** Fields of the services that are called otherwise here; all others are options or arguments by the same name. */
const OPTION_OF_FIELD: ReadonlyMap<string, string> = new Map([
  ['projectId', '--project'],
  ['customQuota', '--per-minute and --per-day'],
  ['customQuota.requestsPerMinute', '--per-minute'],
  ['customQuota.requestsPerDay', '--per-day'],
  ['allowedOrigins', '--origin'],
  ['expiresAt', '--expires'],
  ['overlapSeconds', '--overlap'],
]);

/** How the services say that there is no such thing, and which command tells what there is. */
const UNKNOWN = /^There is no (.+) with the (?:id|slug) /;
const LIST_OF: ReadonlyMap<string | undefined, string> = new Map([
  ['project', 'projects list'],
  ['API key', 'keys list'],
  ['deploy', 'deploys list'],
  ['domain', 'domains list'],
]);

/** What to do where the system refuses a file; by the codes of errno(3). */
const REMEDIES: ReadonlyMap<string | undefined, string> = new Map([
  ['EACCES', 'Let this user use it, or name another place.'],
  ['EEXIST', 'Name another place.'],
  ['EISDIR', 'Name a file, not a folder.'],
  ['ENOENT', 'Make the folder first, or name another place.'],
  ['ENOSPC', 'Make room on the disk.'],
  ['ENOTDIR', 'Name another place.'],
  ['EPERM', 'Let this user use it, or name another place.'],
  ['EROFS', 'Name another place.'],
]);

/** What went wrong in a command, in the words of the command line, and what to do next. */
export function describeError(error: unknown, command: Command): string {
  if (error instanceof ApiError) return describeRefusal(error, command);
  if (!types.isNativeError(error)) return String(error);
  const { path, code }: NodeJS.ErrnoException = error;
  // Node's message repeats the code and ends in the path: `ENOENT: no such file or directory, open '/a/b'`.
  const [, reason] = /^\w+: (.+), \w+ '/.exec(error.message) ?? [];
  return path === undefined || reason === undefined
    ? error.message
    : [`${path}: ${reason}.`, REMEDIES.get(code) ?? []].flat().join(' ');
}

function describeRefusal(error: ApiError, command: Command): string {
  const faults = faultsOf(error);
  if (faults.length > 0)
    return faults.map(({ field, message }) => `${nameOf(field, command)}: ${message}`).join('; ');
  const { message } = error;
  if (error.code === 'plan_required') return `${message} See \`pets-gateway projects plan --help\`.`;
  const list = LIST_OF.get(UNKNOWN.exec(message)?.[1]);
  return list === undefined ? message : `${message} See \`pets-gateway ${list}\`.`;
}

/** `--message` for an option, `DIR` for an argument. */
function nameOf(field: string, { options, registeredArguments }: Command): string {
  const option = options.find((one) => one.attributeName() === field)?.long;
  const isArgument = registeredArguments.some((argument) => argument.name() === field);
  return option ?? OPTION_OF_FIELD.get(field) ?? (isArgument ? inCapitals(field) : field);
}

function inCapitals(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

import { types } from 'node:util';
import type { Command } from 'commander';
import { LIMITS } from '../features/plans/plans.js';
import { ApiError, faultsOf } from '../lib/errors.js';

/** Fields of the services whose option has another name. All other fields are options or arguments of the same name. */
const OPTION_OF_FIELD: ReadonlyMap<string, string> = new Map([
  ['projectId', '--project'],
  [
    'customQuota',
    Object.keys(LIMITS)
      .map((window) => `--per-${window}`)
      .join(' and '),
  ],
  ...Object.entries(LIMITS).map(([window, field]) => [`customQuota.${field}`, `--per-${window}`] as const),
  ['allowedOrigins', '--origin'],
  ['expiresAt', '--expires'],
  ['overlapSeconds', '--overlap'],
]);

/** Matches the services' messages about an unknown object. LIST_OF has the command that lists the known objects. */
const UNKNOWN = /^There is no (.+) with the (?:id|slug or name|name|number) /;
const LIST_OF: ReadonlyMap<string | undefined, string> = new Map([
  ['project', 'projects list'],
  ['API key', 'keys list'],
  ['deploy', 'deploys list'],
  ['domain', 'domains list'],
]);

/** What to do when the system rejects a file operation, by errno(3) code. */
const REMEDIES: ReadonlyMap<string | undefined, string> = new Map([
  ['EACCES', 'Give this user the permission, or choose another path.'],
  ['EEXIST', 'Choose another path.'],
  ['EISDIR', 'Choose a file, not a folder.'],
  ['ENOENT', 'Create the folder first, or choose another path.'],
  ['ENOSPC', 'Free space on the disk.'],
  ['ENOTDIR', 'Choose another path.'],
  ['EPERM', 'Give this user the permission, or choose another path.'],
  ['EROFS', 'Choose a path on a file system that is not read-only.'],
]);

/** Errors of MongoDB's driver after the connection was established, by name. */
const LOST_DATABASE: ReadonlyMap<string, string> = new Map([
  ['MongoNetworkError', 'The connection to MongoDB was lost'],
  ['MongoNetworkTimeoutError', 'MongoDB did not answer in time'],
  ['MongoPoolClearedError', 'The connection to MongoDB was lost'],
  ['MongoServerSelectionError', 'MongoDB has no server that accepts writes'],
  ['MongoWaitQueueTimeoutError', 'MongoDB gave no connection in time'],
]);
const WHEN_LOST =
  'It is starting, stopping or overloaded. Wait a moment and try again. If the error remains, run `pets-gateway doctor`.';

/** Describes an error of a command for people at a terminal, and what to do next. */
export function describeError(error: unknown, command: Command): string {
  return withOptionNames(describe(error, command), command);
}

/** The services name a field as the API does, such as `deleteAtMost`. At the command line it is `--delete-at-most`. */
function withOptionNames(text: string, { options }: Command): string {
  return options
    .filter((option) => /[A-Z]/.test(option.attributeName()))
    .reduce((named, option) => named.replaceAll(option.attributeName(), option.long ?? option.flags), text);
}

function describe(error: unknown, command: Command): string {
  if (error instanceof ApiError) return describeRefusal(error, command);
  if (!types.isNativeError(error)) return String(error);
  const lost = LOST_DATABASE.get(error.name);
  if (lost !== undefined) return `${lost} (${error.message}). ${WHEN_LOST}`;
  const { path, code }: NodeJS.ErrnoException = error;
  // Node's message repeats the code and ends with the path: `ENOENT: no such file or directory, open '/a/b'`.
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
  return list === undefined ? message : `${message} To list them, run \`pets-gateway ${list}\`.`;
}

/** The command-line name of a field: `--message` for an option, `DIR` for an argument. */
function nameOf(field: string, { options, registeredArguments }: Command): string {
  const option = options.find((one) => one.attributeName() === field && !one.hidden)?.long;
  const isArgument = registeredArguments.some((argument) => argument.name() === field);
  return option ?? OPTION_OF_FIELD.get(field) ?? (isArgument ? inCapitals(field) : field);
}

function inCapitals(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

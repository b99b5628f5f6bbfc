import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { invalidRequest } from '../lib/errors.js';
import type { BackupProgress } from '../platform/mongo/backup.js';
import { positiveNumber } from './arguments.js';
import { withDatabase } from './context.js';
import { printRows, type Output, type Row } from './output.js';

interface BackupOptions {
  into?: string;
  keep?: number;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('back up the whole database to a new folder, as it is at this moment')
    .argument('[folder]', 'a folder that does not exist yet')
    .option('--into <folder>', 'for a schedule: a new folder in this one, with the time as its name')
    .option('--keep <n>', 'with --into: afterwards, keep only the newest n backups', positiveNumber)
    .action((folder: string | undefined, options: BackupOptions, command: Command) => {
      const mistake = mistakeIn(folder, options);
      if (mistake !== undefined) command.error(`error: ${mistake}`);
      return withDatabase(command, async ({ connection }, output) => {
        const { collectionFile } = await import('../platform/mongo/backup-files.js');
        const { backUp } = await import('../platform/mongo/backup.js');
        const beganMs = performance.now();
        const place = resolve(folder ?? (await newDatedBackup(options.into ?? '')));
        const collections = await backUp(connection, place, sayOnTerminal).catch(refuse);
        const rows = await Promise.all(
          collections.map(async ({ name, documents }) => ({
            collection: name,
            documents,
            bytes: (await stat(collectionFile(place, name))).size,
          })),
        );
        const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
        print(
          output,
          rows,
          `Backed up ${summaryOf(rows)}, ${sizeOf(bytes)} in ${since(beganMs)}, to ${place}`,
        );
        if (options.keep !== undefined) await removeOld(dirname(place), options.keep, output);
      });
    });
}

function mistakeIn(folder: string | undefined, { into, keep }: BackupOptions): string | undefined {
  if (folder === undefined && into === undefined) return 'Name a folder for the backup, or use --into.';
  if (folder !== undefined && into !== undefined) return 'Name a folder or use --into, not both.';
  if (keep !== undefined && into === undefined) return '--keep needs --into.';
  return undefined;
}

/** @throws ApiError `invalid_request` if the folder does not exist: an unmounted volume must not become a folder. */
async function newDatedBackup(parent: string): Promise<string> {
  const { datedBackup, isFolder } = await import('../platform/mongo/dated-backups.js');
  if (!(await isFolder(parent)))
    throw invalidRequest({ field: 'into', message: `the folder ${resolve(parent)} does not exist` });
  return datedBackup(parent, new Date());
}

async function removeOld(parent: string, keep: number, output: Output): Promise<void> {
  const { removeOldBackups } = await import('../platform/mongo/dated-backups.js');
  const removed = await removeOldBackups(parent, keep, new Date());
  if (removed.length > 0 && !output.json) output.write(`Removed ${removed.join(', ')}\n`);
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into an empty database that no gateway uses')
    .argument('<folder>', 'the folder that `backup` wrote')
    .action((folder: string, _options: unknown, command: Command) =>
      withDatabase(command, async ({ connection }, output) => {
        const { restore } = await import('../platform/mongo/restore.js');
        const beganMs = performance.now();
        const collections = await restore(connection, folder, sayOnTerminal).catch(refuse);
        const rows = collections.map(({ name, documents }) => ({ collection: name, documents }));
        print(output, rows, `Restored ${summaryOf(rows)} in ${since(beganMs)}, from ${resolve(folder)}`);
      }),
    );
}

interface BackedUpRow {
  collection: string;
  documents: number;
}

const CLEAR_LINE = '\r\x1b[2K';

const sayOnTerminal: BackupProgress = ({ name, documents }) => {
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${name}: ${documents} documents`);
};

/** Prints one sentence for people, and the collections for programs. */
function print(output: Output, rows: readonly (BackedUpRow & Row)[], sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  if (output.json) printRows(output, rows, '');
  else output.write(`${sentence}\n`);
}

function summaryOf(rows: readonly BackedUpRow[]): string {
  const documents = rows.reduce((sum, row) => sum + row.documents, 0);
  return `${documents.toLocaleString('en')} documents in ${rows.length} collections`;
}

function sizeOf(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
  const power = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const style = { style: 'unit', unit: units[power] ?? 'byte', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat('en', style).format(bytes / 1000 ** power);
}

function since(beganMs: number): string {
  return `${((performance.now() - beganMs) / 1000).toFixed(1)} s`;
}

/** Turns errors that the caller can fix into `invalid_request`. */
async function refuse(error: unknown): Promise<never> {
  const { BackupUnusable } = await import('../platform/mongo/backup-files.js');
  const { DatabaseNotEmpty } = await import('../platform/mongo/restore.js');
  if (error instanceof BackupUnusable) throw invalidRequest({ field: 'folder', message: error.message });
  if (error instanceof DatabaseNotEmpty) throw invalidRequest({ field: 'database', message: error.message });
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST')
    throw invalidRequest({
      field: 'folder',
      message: `${path} exists already. Choose a folder that does not exist`,
    });
  throw error;
}

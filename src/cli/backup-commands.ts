import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { invalidRequest } from '../lib/errors.js';
import type { BackupProgress } from '../platform/mongo/backup.js';
import { withDatabase } from './context.js';
import { printRows, type Output, type Row } from './output.js';

export function backupCommand(): Command {
  return new Command('backup')
    .description('back up the whole database to a new folder, as it is at this moment')
    .argument('<folder>', 'a folder that does not exist yet')
    .action((folder: string, _options: unknown, command: Command) =>
      withDatabase(command, async ({ connection }, output) => {
        const { collectionFile } = await import('../platform/mongo/backup-files.js');
        const { backUp } = await import('../platform/mongo/backup.js');
        const beganMs = performance.now();
        const collections = await backUp(connection, folder, sayOnTerminal).catch(refuse);
        const place = resolve(folder);
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
      }),
    );
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

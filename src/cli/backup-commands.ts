import { Command } from 'commander';
import { invalidRequest } from '../lib/errors.js';
import type { BackupProgress } from '../platform/mongo/backup.js';
import type { BackedUpCollection } from '../platform/mongo/backup-files.js';
import { withDatabase } from './context.js';
import { printRows } from './output.js';

export function backupCommand(): Command {
  return new Command('backup')
    .description('back up the whole database to a new folder, as it is at this moment')
    .argument('<folder>', 'a folder that does not exist yet')
    .action((folder: string, _options: unknown, command: Command) =>
      withDatabase(command, async ({ connection }, output) => {
        const { backUp } = await import('../platform/mongo/backup.js');
        printRows(
          output,
          toRows(await backUp(connection, folder, sayOnTerminal).catch(refuse)),
          'It is empty.',
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
        printRows(
          output,
          toRows(await restore(connection, folder, sayOnTerminal).catch(refuse)),
          'It is empty.',
        );
      }),
    );
}

const sayOnTerminal: BackupProgress = ({ name, documents }) => {
  if (process.stderr.isTTY) process.stderr.write(`${name}: ${documents} documents\n`);
};

function toRows(collections: readonly BackedUpCollection[]) {
  return collections.map(({ name, documents }) => ({ collection: name, documents }));
}

/** Turns errors that the caller can fix into `invalid_request`. */
async function refuse(error: unknown): Promise<never> {
  const { BackupUnusable } = await import('../platform/mongo/backup-files.js');
  const { DatabaseNotEmpty } = await import('../platform/mongo/restore.js');
  if (error instanceof BackupUnusable) throw invalidRequest({ field: 'folder', message: error.message });
  if (error instanceof DatabaseNotEmpty) throw invalidRequest({ field: 'database', message: error.message });
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST')
    throw invalidRequest({ field: 'folder', message: `${path} is there already: name a new one` });
  throw error;
}

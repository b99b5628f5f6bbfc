import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { invalidRequest } from '../lib/errors.js';
import { PET_STATUSES, type PetStatus } from '../features/pets/pet.js';
import { withPreparedDatabase } from './context.js';
import { printRow } from './output.js';

interface ImportOptions {
  again?: true;
  rejected?: string;
}

interface ExportOptions {
  status?: PetStatus;
}

export function petsCommand(): Command {
  const pets = new Command('pets').description('the catalogue, in and out, as newline-delimited JSON');

  pets
    .command('import')
    .description('add the pets of a file; interrupted, the same command goes on where it was')
    .argument('<file>', 'a NewPet or a Pet of the API in each line; the id of a Pet is kept')
    .option('--again', 'add them although this file was imported before')
    .option('--rejected <file>', 'where to list the lines that are no pets (default: <file>.rejected)')
    .action((path: string, { again, rejected = `${path}.rejected` }: ImportOptions, command: Command) => {
      const sizeBytes = sizeOf(path);
      // Without services: the changes that they follow would load the database as much as the pets do.
      return withPreparedDatabase(command, async ({ connection }, output) => {
        const { importFile } = await import('./import-file.js');
        const beganMs = Date.now();
        const counts = await importFile(connection, { path, sizeBytes, rejected, again: again === true });
        const seconds = (Date.now() - beganMs) / 1000;
        printRow(output, { ...counts, seconds, rejectedLines: counts.rejected > 0 ? rejected : null });
        // Makes the command fail, so that programs notice that some lines were not imported.
        if (counts.rejected > 0) throw new Error(`${counts.rejected} lines were rejected: see ${rejected}`);
      });
    });

  pets
    .command('export')
    .description('write all pets, by id; onto a file that holds some already, the rest')
    .argument('[file]', 'where to; on standard output without it')
    .addOption(new Option('--status <status>', 'only those').choices(PET_STATUSES))
    .action((path: string | undefined, { status }: ExportOptions, command: Command) =>
      withPreparedDatabase(command, async ({ connection }) => {
        const { createMongoPetsStore } = await import('../features/pets/mongo-pets-store.js');
        const { exportPets } = await import('./export-pets.js');
        await exportPets(createMongoPetsStore(connection), { path, status });
      }),
    );
  return pets;
}

/** @throws ApiError invalid_request if the path is not a file */
function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw invalidRequest({ field: 'file', message: `${path} is not a file` });
  return found.size;
}

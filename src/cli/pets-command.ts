import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { invalidRequest } from '../lib/errors.js';
import { PET_STATUSES, type PetStatus } from '../features/pets/pet.js';
import { withPreparedDatabase } from './context.js';
import { printRow } from './output.js';

interface ImportOptions {
  again?: true;
  overwrite?: true;
  rejected?: string;
}

interface ExportOptions {
  status?: PetStatus;
}

export function petsCommand(): Command {
  const pets = new Command('pets').description('import and export pets as newline-delimited JSON');

  pets
    .command('import')
    .description('import the pets of a file; after an interruption, the same command continues')
    .argument('<file>', 'a file with one NewPet or Pet of the API per line. A Pet keeps its id')
    .option('--again', 'import the file again although it was imported before')
    .option('--rejected <file>', 'where to list the rejected lines (default: <file>.rejected)')
    .option('--overwrite', 'replace a file that is in the place of the list and is no list of this import')
    .action((path: string, options: ImportOptions, command: Command) => {
      const { again = false, overwrite = false, rejected = `${path}.rejected` } = options;
      const sizeBytes = sizeOf(path);
      // Without services: the changes that they follow would load the database as much as the pets do.
      return withPreparedDatabase(command, async ({ connection }, output) => {
        const { importFile } = await import('./import-file.js');
        const beganMs = Date.now();
        const counts = await importFile(connection, { path, sizeBytes, rejected, again, overwrite });
        const seconds = (Date.now() - beganMs) / 1000;
        printRow(output, { ...counts, seconds, rejectedLines: counts.rejected > 0 ? rejected : null });
        // Makes the command fail, so that programs notice that some lines were not imported.
        if (counts.rejected > 0)
          throw new Error(
            `${counts.rejected === 1 ? '1 line was' : `${counts.rejected} lines were`} rejected. ${rejected} lists them with the reasons.`,
          );
      });
    });

  pets
    .command('export')
    .description('write all pets, ordered by id; continue a file that an interrupted export left')
    .argument('[file]', 'the file to write (default: standard output)')
    .addOption(new Option('--status <status>', 'only pets with this status').choices(PET_STATUSES))
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
  if (found?.isFile() !== true)
    throw invalidRequest({ field: 'file', message: `${path} is not a file. Check the path` });
  return found.size;
}

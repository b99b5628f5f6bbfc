import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { importPets } from '../features/pets/import/import-pets.js';
import { createMongoImportsStore } from '../features/pets/import/mongo-imports-store.js';
import { openRejectedLines, type RejectedLines } from '../features/pets/import/rejected-lines.js';
import { systemClock } from '../lib/clock.js';
import { invalidRequest } from '../lib/errors.js';
import { fileSha256 } from '../lib/sha256.js';
import { createMongoPetsStore } from '../features/pets/mongo-pets-store.js';
import { PET_STATUSES, type PetStatus } from '../features/pets/pet.js';
import { withPreparedDatabase } from './context.js';
import { exportPets } from './export-pets.js';
import { printRow } from './output.js';
import { progressBar } from './progress-bar.js';

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
      // Without the services of a gateway: the changes that they follow would load the database as much as the pets do.
      return withPreparedDatabase(command, async ({ connection }, output) => {
        const store = createMongoPetsStore(connection);
        const imports = createMongoImportsStore(connection, store);
        if (again === true) await imports.forgetFinished(await fileSha256(path));
        const beganMs = systemClock();
        const bar = progressBar('importing', sizeBytes);
        let report: RejectedLines | undefined;
        try {
          const counts = await importPets(
            {
              path,
              onBegin(record) {
                report = openRejectedLines(rejected, record);
                bar.update(record.next.offset);
              },
              onRejected: (rejections) => report?.add(rejections),
              onEnd: () => report?.settle(),
              onProgress: (bytes) => bar.update(bytes),
            },
            { pets: store, imports, clock: systemClock },
          );
          bar.stop();
          const seconds = (systemClock() - beganMs) / 1000;
          printRow(output, {
            ...counts,
            seconds,
            rejectedLines: counts.rejected > 0 ? rejected : null,
          });
          // Makes the command fail, so that programs notice that some lines were not imported.
          if (counts.rejected > 0) throw new Error(`${counts.rejected} lines were rejected: see ${rejected}`);
        } finally {
          bar.stop();
        }
      });
    });

  pets
    .command('export')
    .description('write all pets, by id; onto a file that holds some already, the rest')
    .argument('[file]', 'where to; on standard output without it')
    .addOption(new Option('--status <status>', 'only those').choices(PET_STATUSES))
    .action((path: string | undefined, { status }: ExportOptions, command: Command) =>
      withPreparedDatabase(command, ({ connection }) =>
        exportPets(createMongoPetsStore(connection), { path, status }),
      ),
    );
  return pets;
}

/** @throws ApiError invalid_request if the path is not a file */
function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw invalidRequest({ field: 'file', message: `${path} is not a file` });
  return found.size;
}

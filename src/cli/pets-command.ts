import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { invalidRequest } from '../lib/errors.js';
import { PET_STATUSES, type PetStatus } from '../features/pets/pet.js';
import {
  EXISTING_CHOICES,
  FILE_FORMATS,
  type ExistingChoice,
  type FileFormat,
} from '../features/synchronization/pets-import.js';
import { wholeNumber } from './arguments.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { outputOf, withPreparedDatabase, withServices } from './context.js';
import { gatewayOf, withGateway, type GatewayOptions } from './pets/gateway.js';
import { addPetCommands, withPets } from './pets/pet-commands.js';
import { printRow } from './output.js';

interface ImportOptions extends ProjectOption, GatewayOptions {
  existing?: ExistingChoice;
  deleteMissing?: true;
  deleteAtMost?: number;
  dryRun?: true;
  ignoreUnknown?: true;
  format?: FileFormat;
  again?: true;
  overwrite?: true;
  rejected?: string;
}

interface ExportOptions extends ProjectOption, GatewayOptions {
  status?: PetStatus;
  format?: FileFormat;
}

export function petsCommand(): Command {
  const pets = new Command('pets').description('list, change, import and export pets');

  withGateway(
    pets
      .command('import')
      .description(
        "synchronize a project with a file that has the project's own numbers (externalId), or add the pets of an NDJSON file to the catalogue",
      )
      .argument(
        '<file>',
        'CSV with a header line, or NDJSON; `-` for standard input. Without a project, --existing or --gateway: one NewPet or Pet of the API per line, and a Pet keeps its id',
      )
      .option(...PROJECT_OPTION)
      .addOption(
        new Option('--existing <choice>', 'what to do with animals that exist (default: reject)').choices(
          EXISTING_CHOICES,
        ),
      )
      .option('--delete-missing', 'remove the numbered animals of the project that the file does not name')
      .option(
        '--delete-at-most <n>',
        "remove none if more are missing (default: a fifth of the project's animals)",
        wholeNumber,
      )
      .option('--dry-run', 'say what would change, and change nothing')
      .option('--ignore-unknown', 'ignore columns with unknown names')
      .addOption(
        new Option('--format <format>', 'the format (default: by the name of the file)').choices(
          FILE_FORMATS,
        ),
      ),
  )
    .option('--again', 'without a project: import the file again although it was imported before')
    .option(
      '--rejected <file>',
      'without a project: where to list the rejected lines (default: <file>.rejected)',
    )
    .option(
      '--overwrite',
      'without a project: replace a file that is in the place of the list and is no list of this import',
    )
    .action((path: string, options: ImportOptions, command: Command) => {
      if (isSync(path, options)) return sync(path, options, command);
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

  withGateway(
    pets
      .command('export')
      .description(
        'write animals, ordered by id: of a project with its numbers, as `pets import` reads them, or of the catalogue',
      )
      .argument('[file]', 'the file to write, or `-` (default: standard output)')
      .option('--project <project>', 'only animals of this project: its id, slug or name')
      .addOption(new Option('--status <status>', 'only animals with this status').choices(PET_STATUSES))
      .addOption(
        new Option(
          '--format <format>',
          'with numbers. Without it and a project: one Pet of the API per line, which continues an interrupted export',
        ).choices(FILE_FORMATS),
      ),
  ).action((file: string | undefined, options: ExportOptions, command: Command) => {
    const path = file === '-' ? undefined : file;
    const { project, format, gateway, status } = options;
    if (project === undefined && format === undefined && gateway === undefined)
      return withPreparedDatabase(command, async ({ connection }) => {
        const { createMongoPetsStore } = await import('../features/pets/mongo-pets-store.js');
        const { exportPets } = await import('./export-pets.js');
        await exportPets(createMongoPetsStore(connection), { path, status });
      });
    return withPets(command, options, async (backend, { projectId }) => {
      const { exportProject } = await import('./pets/export-project.js');
      const list = { status, projectId, isOfAll: false };
      const byName = path !== undefined && /\.csv$/i.test(path) ? 'csv' : 'ndjson';
      await exportProject(backend, list, format ?? byName, path);
    });
  });
  addPetCommands(pets);
  return pets;
}

/** Whether the file has a project's own numbers. Otherwise its pets belong to no project. */
function isSync(path: string, options: ImportOptions): boolean {
  const { project, existing, deleteMissing, deleteAtMost, dryRun, ignoreUnknown, format, gateway } = options;
  const ofProject = [project, existing, deleteMissing, deleteAtMost, dryRun, ignoreUnknown, format, gateway];
  return ofProject.some((option) => option !== undefined) || path === '-' || /\.csv$/i.test(path);
}

async function sync(path: string, options: ImportOptions, command: Command): Promise<void> {
  for (const field of ['again', 'rejected', 'overwrite'] as const)
    if (options[field] !== undefined)
      throw invalidRequest({
        field,
        message: 'does not apply to the file of a project, which can be imported again',
      });
  const { project, existing = 'reject', deleteAtMost } = options;
  const { formatOf, sendTo, sendToDatabase, syncFile } = await import('./pets/sync-file.js');
  const sizeBytes = path === '-' ? undefined : sizeOf(path);
  const file = { path, sizeBytes, format: formatOf(path, options.format) };
  const sync = {
    existing,
    deleteMissing: options.deleteMissing ?? false,
    ...(deleteAtMost !== undefined && { deleteAtMost }),
    dryRun: options.dryRun ?? false,
    ignoreUnknown: options.ignoreUnknown ?? false,
  };
  const gateway = gatewayOf(options);
  if (gateway !== undefined) return syncFile(sendTo(gateway, project), file, sync, outputOf(command));
  await withServices(command, async (services, output) => {
    const { id } = await chooseProject(services, project);
    await syncFile(sendToDatabase(services.petsImports, id), file, sync, output);
  });
}

/** @throws ApiError invalid_request if the path is not a file */
function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true)
    throw invalidRequest({ field: 'file', message: `${path} is not a file. Check the path` });
  return found.size;
}

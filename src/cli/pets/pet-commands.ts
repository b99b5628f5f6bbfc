import { InvalidArgumentError, Option, type Command } from 'commander';
import { checkExternalId } from '../../features/pets/external-id.js';
import {
  PET_FIELDS,
  PET_STATUSES,
  plainFieldsOf,
  type NewPet,
  type PetStatus,
} from '../../features/pets/pet.js';
import { invalidRequest } from '../../lib/errors.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';
import { chooseProject, type ProjectOption } from '../choose-project.js';
import { confirmByTyping } from '../confirm.js';
import { outputOf, withServices } from '../context.js';
import { printRow, type Output, type Row } from '../output.js';
import { printList, withLimit, type ListOptions } from '../print-list.js';
import { gatewayOf, withGateway, type GatewayOptions } from './gateway.js';
import type { PetsBackend, ShownPet } from './pets-backend.js';

interface ReachOptions extends ProjectOption, GatewayOptions {}

/** The option for each field. `which` is 'new ' for a change. */
const OPTION_FOR: Record<keyof NewPet, (which: '' | 'new ') => Option> = {
  name: (which) => new Option('--name <name>', `the ${which}name`),
  categoryId: (which) => new Option('--category <id>', `the id of the ${which}category`).argParser(int64),
  status: (which) =>
    new Option(
      '--status <status>',
      `the ${which}status${which === '' ? ' (default: available)' : ''}`,
    ).choices(PET_STATUSES),
};

const REQUIRED: readonly (keyof NewPet)[] = ['name', 'categoryId'];

interface PlaceNeeds {
  /** In the database: the only project, if the command names none. */
  needsProject?: boolean;
}

interface Place {
  projectId: string | undefined;
  output: Output;
}

/** Runs a command on the animals in the database of the settings or, with `--gateway`, over its API. */
export async function withPets(
  command: Command,
  { project, ...options }: ReachOptions,
  run: (backend: PetsBackend, place: Place) => Promise<void>,
  { needsProject = false }: PlaceNeeds = {},
): Promise<void> {
  const { petsInDatabase, petsOfGateway } = await import('./pets-backend.js');
  const gateway = gatewayOf(options);
  // The API has no search by slug or name for owners: they have one project.
  if (gateway !== undefined)
    return run(petsOfGateway(gateway), { projectId: project, output: outputOf(command) });
  await withServices(command, async (services, output, change) => {
    const isOfProject = needsProject || project !== undefined;
    const projectId = isOfProject ? (await chooseProject(services, project)).id : undefined;
    await run(petsInDatabase(services, change), { projectId, output });
  });
}

const ID_ARGUMENT = ['<id>', 'the id of the animal', int64] as const;
const PROJECT = 'its id, slug or name; with --gateway, its id';

/** Adds `list`, `show`, `add`, `update` and `delete`. */
export function addPetCommands(pets: Command): void {
  withGateway(
    withLimit(
      pets
        .command('list')
        .description('list animals, ordered by id: all, or over the API those of the own project')
        .option('--project <project>', `only animals of this project: ${PROJECT}`)
        .addOption(new Option('--status <status>', 'only animals with this status').choices(PET_STATUSES))
        .option('--name <text>', 'only animals whose name contains this text')
        .option(
          '--own-number <number>',
          'only the animal with exactly this number of its project (externalId). You can omit --project if there is only one project, and with an owner key',
        )
        .option('--everybody', 'with --gateway: animals of all projects'),
    ),
  ).action(
    (
      options: ListOptions &
        ReachOptions & { status?: PetStatus; name?: string; ownNumber?: string; everybody?: true },
      command: Command,
    ) => {
      const { status, name: nameContains, ownNumber, everybody = false } = options;
      const externalId = ownNumber === undefined ? undefined : checkExternalId(ownNumber, 'ownNumber');
      return withPets(
        command,
        options,
        async (backend, { projectId, output }) => {
          const list = { status, nameContains, externalId, projectId, isOfAll: everybody };
          await printList(output, options, (first, after) => backend.page(list, first, after), {
            toRow,
            emptyMessage: 'There are no animals like these.',
          });
        },
        { needsProject: externalId !== undefined },
      );
    },
  );

  withGateway(
    pets
      .command('show')
      .description('show one animal')
      .argument(...ID_ARGUMENT),
  ).action((id: bigint, options: ReachOptions, command: Command) =>
    withPets(command, options, async (backend, { output }) => {
      printRow(output, toRow(await backend.get(id)));
    }),
  );

  withGateway(
    withFields(
      '',
      pets
        .command('add')
        .description('add an animal, to a project or to none')
        .option('--project <project>', 'the project that it belongs to: its id, slug or name'),
    ),
  ).action((options: ReachOptions, command: Command) => {
    if (options.gateway !== undefined && options.project !== undefined)
      throw invalidRequest({
        field: 'projectId',
        message: 'does not apply with --gateway: the animal belongs to the project of the key',
      });
    return withPets(command, options, async (backend, { projectId, output }) => {
      printRow(output, toRow(await backend.add(fieldsOf(command), projectId)));
    });
  });

  withGateway(
    withFields(
      'new ',
      pets
        .command('update')
        .description('change fields of an animal; the others stay')
        .argument(...ID_ARGUMENT)
        .addOption(new Option('--if-status <status>', 'only if it has this status').choices(PET_STATUSES)),
    ),
  ).action((id: bigint, options: ReachOptions & { ifStatus?: PetStatus }, command: Command) => {
    const changes = fieldsOf(command);
    if (Object.keys(changes).length === 0) {
      const [first = '', ...others] = PET_FIELDS.map((field) => OPTION_FOR[field]('new ').long);
      throw invalidRequest({ field: first.slice(2), message: `or ${others.join(' or ')} is required` });
    }
    return withPets(command, options, async (backend, { output }) => {
      printRow(output, toRow(await backend.update(id, changes, options.ifStatus)));
    });
  });

  withGateway(
    pets
      .command('delete')
      .description('remove an animal; asks for its name')
      .argument(...ID_ARGUMENT)
      .option('--yes', 'do not ask'),
  ).action((id: bigint, { yes = false, ...options }: ReachOptions & { yes?: boolean }, command: Command) =>
    withPets(command, options, async (backend, { output }) => {
      const pet = await backend.get(id);
      if (!yes) await confirmByTyping(`To remove the animal ${id}, type its name (${pet.name}): `, pet.name);
      await backend.remove(id, pet.name);
      printRow(output, toRow(pet));
    }),
  );
}

/** Adds the options for the fields. */
function withFields(which: '' | 'new ', command: Command): Command {
  for (const field of PET_FIELDS) {
    const option = OPTION_FOR[field](which);
    command.addOption(option.makeOptionMandatory(which === '' && REQUIRED.includes(field)));
  }
  return command;
}

/** The fields that the options of the command give. */
function fieldsOf(command: Command): Partial<NewPet> {
  const options: Record<string, unknown> = command.opts();
  const fields = PET_FIELDS.map((field) => [field, options[OPTION_FOR[field]('').attributeName()]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function toRow({ id, externalId, project, createdAt, ...pet }: ShownPet): Row {
  return {
    id: String(id),
    ...plainFieldsOf(pet),
    externalId: externalId ?? null,
    project: project ?? null,
    createdAt,
  };
}

/** @throws InvalidArgumentError */
function int64(text: string): bigint {
  const value = parseCanonicalInt64(text);
  if (value === undefined) throw new InvalidArgumentError('Use an integer from -2^63 to 2^63-1.');
  return value;
}

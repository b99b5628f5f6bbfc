import { Command } from 'commander';
import { stateOf, type ApiKey } from '../features/keys/api-key.js';
import { apiKeyNotFound, type InvitedPerson } from '../features/keys/api-keys-service.js';
import { INVITATION_FRAGMENT } from '../features/keys/sessions/sign-in-fragment.js';
import { ApiError } from '../lib/errors.js';
import { chooseProject, PROJECT_OPTION, type ProjectOption } from './choose-project.js';
import { confirmByTyping } from './confirm.js';
import { withServices } from './context.js';
import { findKeyId } from './find-key.js';
import { printRow, type Output, type Row } from './output.js';
import { printList, withLimit, type ListOptions } from './print-list.js';
import { paint } from './terminal-colors.js';
import type { CommandServices } from '../app/command-services.js';

const PERSON = [
  '<person>',
  'the name of the person, or the id of the staff key, as `staff list` shows it',
] as const;

export function staffCommand(): Command {
  const staff = new Command('staff').description(
    'invite people to work on the animals of a project in the dashboard, and end their access',
  );

  staff
    .command('invite')
    .description('create a link that gives a person access, once, within 7 days')
    .argument('<name>', 'the name of the person, which the audit log shows')
    .option(...PROJECT_OPTION)
    .action((name: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id: projectId } = await chooseProject(services, project);
        await printInvited(services, output, await change.invite({ name, projectId }));
      }),
    );

  staff
    .command('link')
    .description('create a new link for a person; their key, sessions and earlier link end at once')
    .argument(...PERSON)
    .option(...PROJECT_OPTION)
    .action((text: string, { project }: ProjectOption, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id } = await findPerson(services, text, project);
        await printInvited(services, output, await change.inviteAgain(id));
      }),
    );

  withLimit(
    staff
      .command('list')
      .description('list the people of a project, oldest first')
      .option(...PROJECT_OPTION),
  ).action(({ project, ...options }: ListOptions & ProjectOption, command: Command) =>
    withServices(command, async (services, output) => {
      const { id: projectId } = await chooseProject(services, project);
      const filter = { projectId, role: 'staff' } as const;
      await printList(
        output,
        options,
        (first, after) => services.apiKeys.page({ first, after, filter, orderBy: 'createdAt' }),
        { toRow: ({ key }) => toRow(key), emptyMessage: 'Nobody has been invited yet.' },
      );
    }),
  );

  staff
    .command('remove')
    .description(
      "end a person's access permanently: their key, sessions and link end at once; asks for the name",
    )
    .argument(...PERSON)
    .option(...PROJECT_OPTION)
    .option('--yes', 'end the access without asking for confirmation')
    .action((text: string, { yes = false, project }: ProjectOption & { yes?: boolean }, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id, name } = await findPerson(services, text, project);
        if (!yes)
          await confirmByTyping(
            `Type ${JSON.stringify(name)} to end the access of this person permanently: `,
            name,
            'revoked',
          );
        printRow(output, toRow(await change.revokeApiKey(id)));
      }),
    );
  return staff;
}

/**
 * Finds a person by the id of the key, or by the name within a project. People of other projects can have the same name.
 * @throws ApiError not_found; invalid_request if several people fit; conflict for the key of a program
 */
async function findPerson(
  services: CommandServices,
  text: string,
  project: string | undefined,
): Promise<ApiKey> {
  const isId = text.startsWith('key_');
  const projectId = isId && project === undefined ? undefined : (await chooseProject(services, project)).id;
  const key = await services.apiKeys.get(
    isId ? text : await findKeyId(services, text, { projectId, role: 'staff' }),
  );
  if (projectId !== undefined && key.projectId !== projectId) apiKeyNotFound(key.id);
  if (key.role !== 'staff')
    throw new ApiError('conflict', `${key.name} is a key with the role ${key.role}, not a person.`);
  return key;
}

function toRow(key: ApiKey): Row {
  return {
    id: key.id,
    name: key.name,
    state: stateOf(key, Date.now()),
    project: key.projectId ?? null,
    invitedUntil: key.invitation?.expiresAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
  };
}

/** Prints the link last. The note is on standard error, so that a pipe gets the link as its last line. */
async function printInvited(
  { config }: CommandServices,
  output: Output,
  { apiKey, invitation }: InvitedPerson,
): Promise<void> {
  const { gatewayOriginOf } = await import('./gateway-url.js');
  const origin = config.publicUrl ?? (await gatewayOriginOf(config));
  const link = `${origin}/dashboard${INVITATION_FRAGMENT}${invitation.text}`;
  printRow(output, { ...toRow(apiKey), link: output.json ? link : paint('yellow', link) });
  if (!output.json)
    process.stderr.write(
      `\nSend the link to ${apiKey.name} only. It works once, and the gateway shows it only this once.\n`,
    );
}

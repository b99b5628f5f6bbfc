import { Command, Option } from 'commander';
import type { CommandServices } from '../app/command-services.js';
import { API_KEY_ROLES, stateOf, type ApiKey, type ApiKeyRole } from '../features/keys/api-key.js';
import type { IssuedKey } from '../features/keys/api-keys-service.js';
import { ApiError } from '../lib/errors.js';
import { collect, date, DATE_HELP, wholeNumber } from './arguments.js';
import { chooseProject, findProject } from './choose-project.js';
import { confirmByTyping } from './confirm.js';
import { withServices } from './context.js';
import { findKeyId, KEY_ARGUMENT } from './find-key.js';
import { asksForLimits, filterOf, pageOfLimitedKeys, type LimitedOptions } from './limited-keys.js';
import { printRow, type Output, type Row } from './output.js';
import { requireStore } from './quota-command.js';
import { paint } from './terminal-colors.js';
import { printList, withLimit, type ListOptions } from './print-list.js';

interface CreateOptions {
  name: string;
  role: ApiKeyRole;
  project?: string;
  expires?: Date;
  origin: string[];
}

type KeyListOptions = ListOptions & LimitedOptions & { project?: string };

interface UpdateOptions {
  name?: string;
  /** False for --no-expires: the key never expires. */
  expires?: Date | false;
  origin?: string[];
}

const DEFAULT_OVERLAP_SECONDS = 86_400;

export function keysCommand(): Command {
  const keys = new Command('keys').description('create, list, change, rotate, disable and revoke API keys');

  withLimit(
    keys
      .command('list')
      .description(
        'list all keys or the keys of a project, oldest first. A filter also shows what each key used of its minute and day, and why it was rejected',
      )
      .option('--project <project>', 'only the keys of this project: its id, slug or name')
      .option('--near-limit', 'only keys that today used 80 % of their day, or of any minute')
      .option('--banned', 'only keys that are banned now')
      .option('--rejected', 'only keys whose requests got 429 today (UTC)'),
  ).action(({ project, ...options }: KeyListOptions, command: Command) =>
    withServices(command, async (services, output) => {
      const projectId = project === undefined ? undefined : (await findProject(services, project)).id;
      if (asksForLimits(options)) {
        await listLimited(services, output, options, projectId);
        return;
      }
      await printList(
        output,
        options,
        (first, after) =>
          services.apiKeys.page({ first, after, filter: { projectId }, orderBy: 'createdAt' }),
        { toRow: ({ key }) => toRow(key), emptyMessage: 'There are no keys yet.' },
      );
    }),
  );

  keys
    .command('show')
    .description('show one key in full; its quota is in `quota show`')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output) =>
        printRow(output, toFullRow(await services.apiKeys.get(await findKeyId(services, text)))),
      ),
    );

  keys
    .command('create')
    .description('create a key and show its secret once')
    .option('--name <name>', 'a name for people', 'unnamed')
    .addOption(
      new Option(
        '--role <role>',
        'browser: public, reads pets over GraphQL; server: reads pets, and adds, changes and removes those of its project; owner: also manages its project; admin: everything',
      )
        .choices(API_KEY_ROLES.filter((role) => role !== 'staff'))
        .default('server'),
    )
    .option(
      '--project <project>',
      'its project: an id, slug or name. You can omit it for an admin key, or if there is only one project',
    )
    .option(
      '--expires <date>',
      `when the key stops working, such as 2030-01-31T12:00:00Z (${DATE_HELP})`,
      date,
    )
    .option('--origin <origin>', 'an origin that may use a browser key. You can repeat it', collect, [])
    .action((options: CreateOptions, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { name, role, project, expires: expiresAt, origin: allowedOrigins } = options;
        // The service rejects an admin key with a project, so the project is not looked up.
        const projectId = role === 'admin' ? project : (await chooseProject(services, project)).id;
        printIssued(output, await change.createApiKey({ name, role, projectId, expiresAt, allowedOrigins }));
      }),
    );

  keys
    .command('update')
    .description('change the name, the expiry or the origins of a key; its secret stays')
    .argument(...KEY_ARGUMENT)
    .option('--name <name>', 'the new name')
    .option('--expires <date>', `when the key stops working (${DATE_HELP}); an expired key works again`, date)
    .option('--no-expires', 'the key never expires')
    .option(
      '--origin <origin>',
      'an origin that may use a browser key, in place of all others. You can repeat it',
      collect,
    )
    .action((text: string, { name, expires, origin }: UpdateOptions, command: Command) =>
      withServices(command, async (services, output, change) => {
        if (name === undefined && expires === undefined && origin === undefined)
          throw new ApiError('invalid_request', 'Use --name, --expires, --no-expires or --origin.');
        const id = await findKeyId(services, text);
        const expiresAt = expires === false ? null : expires;
        printRow(
          output,
          toFullRow(await change.updateApiKey(id, { name, expiresAt, allowedOrigins: origin })),
        );
      }),
    );

  keys
    .command('rotate')
    .description('give a key a new secret; the old secret works until the overlap ends')
    .argument(...KEY_ARGUMENT)
    .option(
      '--overlap <seconds>',
      'how long the old secret still works',
      wholeNumber,
      DEFAULT_OVERLAP_SECONDS,
    )
    .action((text: string, { overlap }: { overlap: number }, command: Command) =>
      withServices(command, async (services, output, change) => {
        const id = await findKeyId(services, text);
        printIssued(output, await change.rotateApiKey(id, overlap));
      }),
    );

  keys
    .command('disable')
    .description('reject requests with a key until you enable it; its secrets, counters and history stay')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) =>
        printRow(output, toRow(await change.disableApiKey(await findKeyId(services, text)))),
      ),
    );

  keys
    .command('enable')
    .description('let a disabled key work again')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) =>
        printRow(output, toRow(await change.enableApiKey(await findKeyId(services, text)))),
      ),
    );

  keys
    .command('revoke')
    .description('revoke a key permanently; asks for its name. To pause a key, disable it')
    .argument(...KEY_ARGUMENT)
    .option('--yes', 'revoke without asking for confirmation')
    .action((text: string, { yes = false }: { yes?: boolean }, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { id, name } = await services.apiKeys.get(await findKeyId(services, text));
        if (!yes)
          await confirmByTyping(
            `Type ${JSON.stringify(name)} to revoke the key permanently: `,
            name,
            'revoked',
          );
        printRow(output, toRow(await change.revokeApiKey(id)));
      }),
    );
  return keys;
}

async function listLimited(
  services: CommandServices,
  output: Output,
  options: KeyListOptions,
  projectId: string | undefined,
): Promise<void> {
  let isStoreDown = false;
  await printList(
    output,
    options,
    async (first, after) => {
      const page = await pageOfLimitedKeys(services, { projectId, ...filterOf(options) }, first, after);
      isStoreDown ||= page.entries.some((entry) => entry.isStoreDown);
      return page;
    },
    { toRow: ({ row }) => row, emptyMessage: 'No keys match now.' },
  );
  requireStore({ isStoreDown });
}

function toRow(key: ApiKey): Row {
  return {
    id: key.id,
    name: key.name,
    start: key.secrets.at(-1)?.start ?? null,
    role: key.role,
    state: stateOf(key, Date.now()),
    project: key.projectId ?? null,
    expiresAt: key.expiresAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
  };
}

function toFullRow(key: ApiKey): Row {
  return {
    ...toRow(key),
    createdAt: key.createdAt,
    disabledAt: key.disabledAt ?? null,
    revokedAt: key.revokedAt ?? null,
    oldSecretExpiresAt: key.revokedAt === undefined ? (key.secrets.at(-2)?.expiresAt ?? null) : null,
    allowedOrigins: key.allowedOrigins,
    requestsToday: key.usageToday,
    bannedUntil: key.ban !== undefined && key.ban.until.getTime() > Date.now() ? key.ban.until : null,
  };
}

/** Prints a key with its secret last. The note is on standard error, so that the last line of a pipe has the secret. */
function printIssued(output: Output, { apiKey, secret }: IssuedKey): void {
  printRow(output, { ...toRow(apiKey), secret: output.json ? secret : paint('yellow', secret) });
  if (!output.json) process.stderr.write('\nCopy the secret now. The gateway shows it only this once.\n');
}

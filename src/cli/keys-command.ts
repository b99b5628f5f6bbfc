import { Command, Option } from 'commander';
import { API_KEY_ROLES, stateOf, type ApiKey, type ApiKeyRole } from '../features/keys/api-key.js';
import type { IssuedKey } from '../features/keys/api-keys-service.js';
import { collect, date, wholeNumber } from './arguments.js';
import { findProject } from './choose-project.js';
import { withServices } from './context.js';
import { printRow, type Row } from './output.js';
import { printList, withLimit, type ListOptions } from './print-list.js';

interface CreateOptions {
  name: string;
  role: ApiKeyRole;
  project?: string;
  expires?: Date;
  origin: string[];
}

const DEFAULT_OVERLAP_SECONDS = 86_400;

export function keysCommand(): Command {
  const keys = new Command('keys').description('API keys: make, rotate, revoke');

  withLimit(
    keys
      .command('list')
      .description('all keys, or those of a project, oldest first')
      .option('--project <project>', 'whose, by id or slug'),
  ).action(({ project, ...options }: ListOptions & { project?: string }, command: Command) =>
    withServices(command, async (services, output) => {
      const projectId = project === undefined ? undefined : (await findProject(services, project)).id;
      await printList(
        output,
        options,
        (first, after) =>
          services.apiKeys.page({ first, after, filter: { projectId }, orderBy: 'createdAt' }),
        { toRow: ({ key }) => toRow(key), emptyMessage: 'There is no key yet.' },
      );
    }),
  );

  keys
    .command('create')
    .description('make a key; its secret is shown once')
    .option('--name <name>', 'what people know it by', 'unnamed')
    .addOption(
      new Option(
        '--role <role>',
        'browser: public, reads pets over GraphQL; server: reads and creates pets; owner: also manages its project; admin: everything',
      )
        .choices(API_KEY_ROLES)
        .default('server'),
    )
    .option('--project <project>', 'whose it is, by id or slug; needed for every role but admin')
    .option('--expires <date>', 'when it ends by itself, such as 2030-01-31T12:00:00Z', date)
    .option('--origin <origin>', 'where a browser key may be used from; may be repeated', collect, [])
    .action((options: CreateOptions, command: Command) =>
      withServices(command, async (services, output, change) => {
        const { name, role, project, expires: expiresAt, origin: allowedOrigins } = options;
        // The service rejects an admin key with a project, so the project is not looked up.
        const projectId =
          project === undefined || role === 'admin' ? project : (await findProject(services, project)).id;
        printRow(
          output,
          issuedRow(await change.createApiKey({ name, role, projectId, expiresAt, allowedOrigins })),
        );
      }),
    );

  keys
    .command('rotate')
    .description('give a key a new secret; the old one lives on for the overlap')
    .argument('<keyId>', 'as keys list shows it')
    .option(
      '--overlap <seconds>',
      'how long the old secret still works',
      wholeNumber,
      DEFAULT_OVERLAP_SECONDS,
    )
    .action((id: string, { overlap }: { overlap: number }, command: Command) =>
      withServices(command, async (_services, output, change) =>
        printRow(output, issuedRow(await change.rotateApiKey(id, overlap))),
      ),
    );

  keys
    .command('revoke')
    .description('end a key for good')
    .argument('<keyId>', 'as keys list shows it')
    .action((id: string, _options: unknown, command: Command) =>
      withServices(command, async (_services, output, change) =>
        printRow(output, toRow(await change.revokeApiKey(id))),
      ),
    );
  return keys;
}

function toRow(key: ApiKey): Row {
  return {
    id: key.id,
    name: key.name,
    start: key.secrets.at(-1)?.start ?? null,
    role: key.role,
    state: stateOf(key, Date.now()),
    project: key.projectId ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

function issuedRow({ apiKey, secret }: IssuedKey): Row {
  return { ...toRow(apiKey), secret };
}

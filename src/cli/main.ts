import { Command, CommanderError, Option } from 'commander';
import { ConfigError, loadConfig } from '../config.js';
import { ApiError, type FieldFault } from '../lib/errors.js';
import { serve } from '../main.js';
import { backupCommand, restoreCommand } from './backup-commands.js';
import { deployCommand, deploysCommand } from './deploy-command.js';
import { doctorCommand } from './doctor-command.js';
import { domainsCommand } from './domains-command.js';
import { keysCommand } from './keys-command.js';
import { migrateCommand } from './migrate-command.js';
import { petsCommand } from './pets-command.js';
import { projectsCommand } from './projects-command.js';
import { quotaCommand } from './quota-command.js';
import { schemaCommand } from './schema-command.js';
import { VERSION } from '../version.js';
import { usageCommand } from './usage-command.js';

/** Exit codes: 0 done, 1 failed, 2 wrong usage or a bad setting. */
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line. Resolves to the exit code; nothing is thrown. */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('pets-gateway')
    .description(
      'The Animal Adoption Store gateway: one pets API behind REST and GraphQL, with keys and quotas',
    )
    .version(VERSION, '--version', 'print the version of the gateway')
    .option('--json', 'print JSON for programs');
  program
    .command('serve')
    .description('run the gateway (what npm start does)')
    .addOption(new Option('--join', 'use the mongod that another process has in DATA_DIR').hideHelp())
    .action(({ join = false }: { join?: boolean }) => serve(loadConfig(), { join }));
  for (const command of [
    projectsCommand(),
    keysCommand(),
    quotaCommand(),
    usageCommand(),
    deployCommand(),
    deploysCommand(),
    domainsCommand(),
    petsCommand(),
    backupCommand(),
    restoreCommand(),
    migrateCommand(),
    doctorCommand(),
    schemaCommand(),
  ])
    program.addCommand(command);
  settleAll(program);

  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    process.stderr.write(`pets-gateway: ${messageOf(error)}\n`);
    return error instanceof ConfigError || isBadInput(error) ? WRONG_USAGE : FAILED;
  }
}

/** Settings that commander hands down only to the commands that it makes itself. */
function settleAll(command: Command): void {
  command.exitOverride().configureHelp({ showGlobalOptions: true });
  for (const sub of command.commands) settleAll(sub);
}

function isBadInput(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_request';
}

/** The fields of the services, as this door names them. */
const OPTION_OF_FIELD: ReadonlyMap<string, string> = new Map([
  ['projectId', '--project'],
  ['dir', 'DIR'],
  ['file', 'FILE'],
  ['folder', 'FOLDER'],
  ['domainId', 'DOMAIN_ID'],
  ['name', 'NAME'],
  ['from', 'FROM'],
  ['to', 'TO'],
  ['status', '--status'],
  ['message', '--message'],
  ['customQuota', '--per-minute and --per-day'],
  ['customQuota.requestsPerMinute', '--per-minute'],
  ['customQuota.requestsPerDay', '--per-day'],
  ['allowedOrigins', '--origin'],
  ['expiresAt', '--expires'],
  ['overlapSeconds', '--overlap'],
  ['yes', '--yes'],
]);

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields =
    error instanceof ApiError ? (error.details?.['fields'] as FieldFault[] | undefined) : undefined;
  if (fields === undefined) return error.message;
  return fields.map(({ field, message }) => `${OPTION_OF_FIELD.get(field) ?? field}: ${message}`).join('; ');
}

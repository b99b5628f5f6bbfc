import cluster from 'node:cluster';
import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config/config-error.js';
import { describeUnknown } from '../config/unknown-settings.js';
import type * as Settings from '../config/config.js';
import { ApiError } from '../lib/errors.js';
import type * as Gateway from '../server/main.js';
import { auditCommand } from './audit-command.js';
import { backupCommand, restoreCommand } from './backup-commands.js';
import { completionCommand } from './completion-command.js';
import { deployCommand, deploysCommand } from './deploy-command.js';
import { describeError } from './describe-error.js';
import { doctorCommand } from './doctor-command.js';
import { domainsCommand } from './domains-command.js';
import { Interrupted } from './interrupted.js';
import { keysCommand } from './keys-command.js';
import { migrateCommand } from './migrate-command.js';
import { openCommand } from './open-command.js';
import { paint } from './terminal-colors.js';
import { petsCommand } from './pets-command.js';
import { projectsCommand } from './projects-command.js';
import { quotaCommand } from './quota-command.js';
import { schemaCommand } from './schema-command.js';
import { VERSION } from '../lib/version.js';
import { staffCommand } from './staff-command.js';
import { usageCommand } from './usage-command.js';

/** Exit codes: 0 success, 1 failure, 2 wrong usage or a wrong setting, 130 stopped by Ctrl-C (as shells have it). */
const FAILED = 1;
const WRONG_USAGE = 2;
const INTERRUPTED = 130;

/**
 * Runs the command line. Resolves with the exit code and never rejects. Errors go to standard error as `error: …`, with
 * what to do next.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('pets-gateway')
    .description(
      'The Animal Adoption Store gateway: a pets API over REST and GraphQL, with API keys and quotas.',
    )
    .version(VERSION, '--version', 'print the version of the gateway')
    .option('--json', 'print JSON for programs');
  program
    .command('serve')
    .description('run the gateway, as `npm start` does')
    .addOption(new Option('--join', 'use the mongod that another process has in DATA_DIR').hideHelp())
    .action(({ join = false }: { join?: boolean }) => {
      // Loaded here: no other command needs the interfaces, and loading them takes longer than most commands. Not with
      // import(): messages of the primary process that arrive at a worker during import() would be lost.
      const load = createRequire(__filename);
      const { loadConfig, unknownSettings } = load('../config/config.js') as typeof Settings;
      const { serve } = load('../server/main.js') as typeof Gateway;
      const config = loadConfig();
      if (cluster.isPrimary)
        for (const unknown of unknownSettings())
          process.stderr.write(
            `${paint('yellow', 'warning:', process.stderr)} ${describeUnknown(unknown)}\n`,
          );
      return serve(config, { join });
    });
  for (const command of [
    projectsCommand(),
    keysCommand(),
    staffCommand(),
    quotaCommand(),
    usageCommand(),
    auditCommand(),
    deployCommand(),
    deploysCommand(),
    domainsCommand(),
    petsCommand(),
    backupCommand(),
    restoreCommand(),
    migrateCommand(),
    doctorCommand(),
    openCommand(),
    schemaCommand(),
    completionCommand(() => program),
  ])
    program.addCommand(command);
  settleAll(program, program.name());
  let running = program;
  program.hook('preAction', (_program, action) => {
    running = action;
  });

  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return endOfUsage(error);
    if (error instanceof Interrupted) {
      process.stderr.write(`${error.message}\n`);
      return INTERRUPTED;
    }
    process.stderr.write(`${paint('red', 'error:', process.stderr)} ${describeError(error, running)}\n`);
    return error instanceof ConfigError || isBadInput(error) ? WRONG_USAGE : FAILED;
  }
}

/** Applies settings that commander passes on only to commands that it creates itself. */
function settleAll(command: Command, name: string): void {
  command
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      // Commander removes the style where standard output has no colors.
      styleTitle: (title) => styleText('bold', title, { validateStream: false }),
    })
    .showHelpAfterError(`See \`${name} --help\`.`);
  for (const sub of command.commands) settleAll(sub, `${name} ${sub.name()}`);
}

/** The exit code after a usage error. Commander has printed the error, except where it prints the help instead. */
function endOfUsage({ code, exitCode }: CommanderError): number {
  if (exitCode === 0) return 0;
  if (code === 'commander.help') process.stderr.write('\nerror: Choose one of these commands.\n');
  return WRONG_USAGE;
}

function isBadInput(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_request';
}

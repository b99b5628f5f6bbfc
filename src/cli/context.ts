import type { Command } from 'commander';
import type { CommandServices } from '../app/command-services.js';
import type { Config } from '../config/config.js';
import type { Administration } from '../features/administration/administration.js';
import type { Logger } from '../lib/logger.js';
import type { Database } from '../platform/mongod/database.js';
import type { Output } from './output.js';

// This file imports at run time what only a running command needs: `--help` and `--version` load none of it.

/**
 * Runs a command with services on the database of the settings. The audit log records the changes as made at the
 * command line, by the user who runs the command.
 * @throws NotPrepared when the database needs changes for this version first
 */
export function withServices(
  command: Command,
  run: (services: CommandServices, output: Output, change: Administration) => Promise<void>,
): Promise<void> {
  return withPreparedDatabase(command, async ({ connection }, output, config, log) => {
    const { createCommandServices } = await import('../app/command-services.js');
    const { systemClock } = await import('../lib/clock.js');
    const { systemUser } = await import('./system-user.js');
    const services = await createCommandServices(config, connection, log, systemClock);
    try {
      await run(
        services,
        output,
        services.administration({ role: 'command line', systemUser: systemUser() }),
      );
    } finally {
      await services.close();
    }
  });
}

/**
 * Like withDatabase, but on a database that is prepared for this version. Prepares an unused database.
 * @throws NotPrepared when the database needs changes for this version first
 */
export function withPreparedDatabase(
  command: Command,
  run: (database: Database, output: Output, config: Config, log: Logger) => Promise<void>,
): Promise<void> {
  return withDatabase(command, async (database, output, config) => {
    const { prepareIfNew } = await import('../app/migrations/prepare-database.js');
    const { commandLog } = await import('./command-log.js');
    const log = commandLog();
    await prepareIfNew(config, database.connection, log);
    await run(database, output, config, log);
  });
}

/**
 * Runs a command on the database of the settings, without changing the database first. Joins a running gateway that
 * uses the same DATA_DIR; otherwise runs mongod until the command ends.
 */
export async function withDatabase(
  command: Command,
  run: (database: Database, output: Output, config: Config) => Promise<void>,
): Promise<void> {
  const { loadConfig } = await import('../config/config.js');
  const { openDatabase } = await import('../platform/mongod/database.js');
  const config = loadConfig();
  const database = await openDatabase(config, { join: true, progress });
  try {
    await run(database, outputOf(command), config);
  } finally {
    await database.close();
  }
}

/** The standard output of a command, as text for people or, with `--json`, for programs. */
export function outputOf(command: Command): Output {
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
  return { json, write: (text) => void process.stdout.write(text) };
}

/** Tells a person about a slow step of a command. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

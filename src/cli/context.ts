import type { Command } from 'commander';
import type { Administration } from '../features/administration/administration.js';
import { loadConfig, type Config } from '../config/config.js';
import { systemClock } from '../lib/clock.js';
import { createLogger, type Logger } from '../lib/logger.js';
import { prepareIfNew } from '../app/migrations/prepare-database.js';
import { openDatabase, type Database } from '../platform/mongod/database.js';
import { createServices, type Services } from '../app/services.js';
import type { Output } from './output.js';
import { systemUser } from './system-user.js';

/**
 * Runs a command with services on the database of the settings. The audit log records the changes as made at the
 * command line, by the user who runs the command.
 * @throws NotPrepared when the database needs changes for this version first
 */
export function withServices(
  command: Command,
  run: (services: Services, output: Output, change: Administration) => Promise<void>,
): Promise<void> {
  return withPreparedDatabase(command, async ({ connection }, output, config, log) => {
    const services = await createServices(config, connection, log, systemClock);
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
    const log = createLogger({ level: 'error', pretty: process.stderr.isTTY });
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
  const config = loadConfig();
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const database = await openDatabase(config, { join: true, progress });
  try {
    await run(database, { json, write: (text) => void process.stdout.write(text) }, config);
  } finally {
    await database.close();
  }
}

import type { Config } from '../config/config.js';
import { openDatabase, type Database } from '../platform/mongod/database.js';
import type { StartDisplay } from './start-display.js';

/**
 * Loads what serves requests. mongod needs about as long for its start, and another processor: so this is loaded after
 * mongod has been started.
 */
export const loadGateway = () => import('./gateway-modules.js');

/** Opens the database and brings it to the state that this version needs. @throws errors of openDatabase and migrate */
export async function openWithDisplay(
  config: Config,
  join: boolean,
  { log, step, download }: StartDisplay,
): Promise<Database> {
  step('Starting the database');
  const database = await openDatabase(config, {
    join,
    progress: (line) => step(line),
    onDownload: download,
    // A failure is not mongod's. It is thrown when the gateway is needed, below.
    meanwhile: () => loadGateway().catch(() => undefined),
  });
  step('Preparing the database');
  try {
    const { prepareDatabase } = await loadGateway();
    await prepareDatabase(config, database.connection, log);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

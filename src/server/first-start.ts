import { renderBanner } from './banner.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../lib/logger.js';
import type { Database } from '../platform/mongod/database.js';
import { mongodbVersion } from '../platform/mongo/connection.js';
import { knownFaultOf } from '../platform/mongod/known-faults.js';
import { applyRetention } from './retention.js';
import { createFirstStart } from './first-start-mark.js';
import { seedFirstStart } from './seed.js';
import type { Services } from '../app/services.js';

const STRONG_KEY_LENGTH = 24;

/**
 * Prepares the database for serving: warns about a weak ADMIN_API_KEY and about a MongoDB with known faults, applies
 * the retention settings, and seeds a new embedded database. Resolves with a function that renders the banner for a
 * port.
 */
export async function beginDatabase(
  config: Config,
  database: Database,
  services: Services,
  log: Logger,
): Promise<(port: number) => string> {
  const { host, adminApiKey, publicUrl, platformHost } = config;
  if (adminApiKey !== undefined && adminApiKey.length < STRONG_KEY_LENGTH)
    log.warn(`ADMIN_API_KEY has fewer than ${STRONG_KEY_LENGTH} characters: it could be guessed`);
  const knownFault = knownFaultOf(await mongodbVersion(database.connection), services.clock());
  if (knownFault !== undefined) log.warn(knownFault);
  await applyRetention(database.connection, config);
  const firstStart = createFirstStart(database.connection);
  const seeded = database.embedded ? await seedFirstStart(services, firstStart) : {};
  const hasAdmin = adminApiKey !== undefined || (await hasAdminKey(services));
  return (port) => renderBanner({ host, port, hasAdmin, publicUrl, platformHost }, seeded);
}

async function hasAdminKey({ apiKeys }: Services): Promise<boolean> {
  const query = { first: 1, filter: { role: 'admin', state: 'active' }, orderBy: 'createdAt' } as const;
  return (await apiKeys.page(query)).entries.length > 0;
}

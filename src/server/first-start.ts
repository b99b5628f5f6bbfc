import { renderBanner } from './banner.js';
import { nodeFaultOf } from '../lib/node-versions.js';
import { paintFor } from '../lib/paint.js';
import type { Config } from '../config/config.js';
import type { Database } from '../platform/mongod/database.js';
import { mongodbVersion } from '../platform/mongo/connection.js';
import { knownFaultOf } from '../platform/mongod/known-faults.js';
import { applyRetention } from './retention.js';
import { createFirstStart } from './first-start-mark.js';
import { seedFirstStart } from './seed.js';
import type { StartDisplay } from './start-display.js';
import type { Services } from '../app/services.js';

/**
 * Prepares the database for serving: warns about an old Node and about a MongoDB with known faults, applies the retention
 * settings, and seeds a new embedded database. Resolves with a function that renders the banner for a port.
 */
export async function beginDatabase(
  config: Config,
  database: Database,
  services: Services,
  { log, step }: StartDisplay,
): Promise<(port: number) => string> {
  const { adminApiKey } = config;
  const nodeFault = nodeFaultOf(process.versions.node, services.clock());
  if (nodeFault !== undefined) log.warn(nodeFault);
  const knownFault = knownFaultOf(await mongodbVersion(database.connection), services.clock());
  if (knownFault !== undefined) log.warn(knownFault);
  await applyRetention(database.connection, config);
  const firstStart = createFirstStart(database.connection);
  if (database.embedded && !(await firstStart.done())) step('Adding the first keys and the demo data');
  const seeded = database.embedded ? await seedFirstStart(services, firstStart) : {};
  const hasAdmin = adminApiKey !== undefined || (await hasAdminKey(services));
  return (port) => renderBanner({ ...config, port, hasAdmin }, seeded, paintFor(process.stdout));
}

async function hasAdminKey({ apiKeys }: Services): Promise<boolean> {
  const query = { first: 1, filter: { role: 'admin', state: 'active' }, orderBy: 'createdAt' } as const;
  return (await apiKeys.page(query)).entries.length > 0;
}

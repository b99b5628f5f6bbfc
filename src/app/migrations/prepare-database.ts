import type { Connection } from 'mongoose';
import type { Config } from '../../config/config.js';
import type { Logger } from '../../lib/logger.js';
import { describeGap } from '../../platform/mongo/collections.js';
import { migrate } from '../../platform/mongo/migrations.js';
import { findPending, isNewDatabase } from '../../platform/mongo/pending-migrations.js';
import { quotaStoreOf, type QuotaStoreSettings } from '../quota-stores.js';
import { wantedDatabase } from './wanted-database.js';

/** The database needs changes that only a gateway start or `migrate` makes. */
export class NotPrepared extends Error {
  override readonly name = 'NotPrepared';
}

type Settings = Pick<Config, 'platformHost'> & QuotaStoreSettings;

/** Brings the database to the state that this version needs, at each start. @throws errors of `migrate` */
export function prepareDatabase(config: Settings, connection: Connection, log: Logger): Promise<void> {
  return migrate(connection, wantedDatabase(config), { contract: false, report: (line) => log.info(line) });
}

/**
 * Prepares the database for a command, only if the database is unused: the command may belong to a newer checkout than
 * the running gateways.
 * @throws NotPrepared; errors of `migrate`
 */
export async function prepareIfNew(config: Settings, connection: Connection, log: Logger): Promise<void> {
  const wanted = wantedDatabase(config);
  const pending = await findPending(connection, wanted);
  if (isNewDatabase(pending, wanted)) return prepareDatabase(config, connection, log);
  // Ignores the collections of the quota store: commands do not count, so a command without the gateways' REDIS_URL can
  // go on.
  const ofCounters = new Set(quotaStoreOf(config).wantedCollections.map(({ name }) => name));
  const gaps = pending.gaps.filter(({ collection }) => !ofCounters.has(collection));
  const changes = [...gaps.map(describeGap), ...pending.steps.map(({ name }) => name)];
  if (changes.length > 0)
    throw new NotPrepared(
      `Version ${wanted.version} would change the database ${connection.name} first: ${changes.length} ` +
        `${changes.length === 1 ? 'thing is' : 'things are'} pending, which \`pets-gateway migrate --dry-run\` names. ` +
        'Nothing was changed. Use the command line of the version that runs, or start this one, or prepare the ' +
        'database now, beside the gateways that run: `pets-gateway migrate`. See docs/upgrading.md.',
    );
}

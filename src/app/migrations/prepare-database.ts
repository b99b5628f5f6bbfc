import type { Connection } from 'mongoose';
import type { Config } from '../../config/config.js';
import type { Logger } from '../../lib/logger.js';
import { describeGap } from '../../platform/mongo/collections.js';
import { migrate } from '../../platform/mongo/migrations.js';
import { findPending, isNewDatabase } from '../../platform/mongo/pending-migrations.js';
import { quotaStoreOf } from '../quota-stores.js';
import { wantedDatabase } from './wanted-database.js';

/** What this version would change in the database is for a start, or `migrate`, to do. */
export class NotPrepared extends Error {
  override readonly name = 'NotPrepared';
}

type Settings = Pick<Config, 'platformHost' | 'redisUrl'>;

/** Makes the database what this version wants, as each start does. @throws what `migrate` throws */
export function prepareDatabase(config: Settings, connection: Connection, log: Logger): Promise<void> {
  return migrate(connection, wantedDatabase(config), { contract: false, report: (line) => log.info(line) });
}

/**
 * For a command, which may come from a newer checkout than the gateways that run: only a database that nobody has used
 * yet is prepared.
 * @throws NotPrepared; what `migrate` throws
 */
export async function prepareIfNew(config: Settings, connection: Connection, log: Logger): Promise<void> {
  const wanted = wantedDatabase(config);
  const pending = await findPending(connection, wanted);
  if (isNewDatabase(pending, wanted)) return prepareDatabase(config, connection, log);
  // Gateways count, commands do not: one without the gateways' REDIS_URL goes on.
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

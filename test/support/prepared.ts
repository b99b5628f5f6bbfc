import type { Connection } from 'mongoose';
import { migrate } from '../../src/platform/mongo/migrations.js';
import { wantedDatabase } from '../../src/app/migrations/wanted-database.js';

/** The connection, with the collections and indexes that a gateway with every feature makes at its start. */
export async function prepared(connection: Connection): Promise<Connection> {
  const wanted = wantedDatabase({ platformHost: 'pets.test', redisUrl: undefined });
  await migrate(connection, wanted, { contract: false, report: () => undefined });
  return connection;
}

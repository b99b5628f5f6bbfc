import type { Connection } from 'mongoose';
import { createMongoApiKeysStore } from '../../src/features/keys/mongo-api-keys-store.js';
import type { ApiKeysStore, KeyUse } from '../../src/features/keys/api-keys-store.js';
import { DAY_MS, systemClock, utcDay, type Clock } from '../../src/lib/clock.js';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { createMongoProjectsStore } from '../../src/features/projects/mongo-projects-store.js';
import type { ProjectsStore } from '../../src/features/projects/projects-store.js';
import { freshDatabase } from './database.js';
import { prepared } from './prepared.js';

export interface TestKeyStore {
  store: ApiKeysStore;
  projects: ProjectsStore;
  connection: Connection;
  close: () => Promise<void>;
}

/** The real stores of API keys and of their projects in a database of their own. */
export async function openKeyStore(clock: Clock = systemClock): Promise<TestKeyStore> {
  const database = freshDatabase();
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 60_000,
  });
  return {
    store: createMongoApiKeysStore(await prepared(connection), clock),
    projects: createMongoProjectsStore(connection),
    connection,
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

/**
 * A use of a key as the recorder writes it.
 * @param used requests of the UTC day of the use; if not given, the key was only authenticated
 */
export function keyUse(keyId: string, lastUsedAt: Date, used?: number, nearLimit = false, epoch = 0): KeyUse {
  const startsAtMs = Math.floor(lastUsedAt.getTime() / DAY_MS) * DAY_MS;
  return {
    keyId,
    lastUsedAt,
    day: used === undefined ? undefined : { startsAtMs, used, epoch },
    ...(nearLimit && used !== undefined && { nearLimitDay: utcDay(startsAtMs) }),
  };
}

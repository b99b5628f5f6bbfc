import type { Connection } from 'mongoose';
import { createMongoApiKeysStore } from '../../src/api-keys/mongo-api-keys-store.js';
import type { ApiKeysStore } from '../../src/api-keys/api-keys-store.js';
import type { ApiKey } from '../../src/api-keys/api-key.js';
import { createSecret, hashSecret, randomBase62, startOf } from '../../src/api-keys/secret.js';
import { systemClock, type Clock } from '../../src/lib/clock.js';
import { connectMongo } from '../../src/mongo/connection.js';
import { createMongoProjectsStore } from '../../src/projects/mongo-projects-store.js';
import type { ProjectsStore } from '../../src/projects/projects-store.js';
import { freshDatabase } from './database.js';

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
    selectionTimeoutMs: 5000,
  });
  return {
    store: await createMongoApiKeysStore(connection, clock),
    projects: await createMongoProjectsStore(connection),
    connection,
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

/** An admin key, which needs no project, with its secret. */
export function adminKey(): { key: ApiKey; secret: string; hash: string } {
  const secret = createSecret('production');
  const hash = hashSecret(secret);
  const key: ApiKey = {
    id: `key_${randomBase62(16)}`,
    name: 'test key',
    role: 'admin',
    secrets: [{ hash, start: startOf(secret, 'production') }],
    allowedOrigins: [],
    createdAt: new Date(),
    epochs: { minute: 0, day: 0 },
    usageToday: 0,
  };
  return { key, secret, hash };
}

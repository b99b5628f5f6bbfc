import { createMongoApiKeysStore } from '../../src/api-keys/mongo-api-keys-store.js';
import type { ApiKeysStore } from '../../src/api-keys/api-keys-store.js';
import type { ApiKey } from '../../src/api-keys/api-key.js';
import { createSecret, hashSecret, randomBase62, startOf } from '../../src/api-keys/secret.js';
import { connectMongo } from '../../src/mongo/connection.js';
import { freshDatabase } from './database.js';

/** The real store of API keys in a database of its own. */
export async function openKeyStore(): Promise<{ store: ApiKeysStore; close: () => Promise<void> }> {
  const database = freshDatabase();
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  return {
    store: await createMongoApiKeysStore(connection, () => Date.now()),
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

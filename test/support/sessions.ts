import { auditCollection, createMongoAuditStore } from '../../src/features/audit/mongo-audit-store.js';
import type { ApiKey } from '../../src/features/keys/api-key.js';
import { createApiKeysService } from '../../src/features/keys/api-keys-service.js';
import type { Authenticator } from '../../src/features/keys/authenticator.js';
import { createAuthenticator } from '../../src/features/keys/authenticator.js';
import { createCallerChecks } from '../../src/features/keys/caller-checks.js';
import { createKeyCache } from '../../src/features/keys/key-cache.js';
import { apiKeysCollection } from '../../src/features/keys/mongo-api-key-document.js';
import { createMongoApiKeysStore } from '../../src/features/keys/mongo-api-keys-store.js';
import {
  createMongoSessionsStore,
  sessionsCollection,
} from '../../src/features/keys/sessions/mongo-sessions-store.js';
import {
  createMongoSignInLinksStore,
  signInLinksCollection,
} from '../../src/features/keys/sessions/mongo-sign-in-links-store.js';
import { createSessionsService } from '../../src/features/keys/sessions/sessions-service.js';
import type { SessionsStore } from '../../src/features/keys/sessions/sessions-store.js';
import { createMongoProjectsStore } from '../../src/features/projects/mongo-projects-store.js';
import type { Clock } from '../../src/lib/clock.js';
import { connectMongo, transact } from '../../src/platform/mongo/connection.js';
import { adminKey } from './admin-key.js';
import { freshDatabase } from './database.js';
import { makeCollections } from './make-collections.js';

export type TestSessions = Awaited<ReturnType<typeof openSessions>>;

/** The real sessions over the real stores, in a database of their own, without a gateway around them. */
export async function openSessions(clock: Clock) {
  const database = freshDatabase();
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 60_000,
  });
  await makeCollections(
    connection,
    apiKeysCollection,
    auditCollection,
    sessionsCollection,
    signInLinksCollection,
  );
  const keys = createMongoApiKeysStore(connection, clock);
  const store = createMongoSessionsStore(connection, clock);
  const links = createMongoSignInLinksStore(connection);
  const audit = createMongoAuditStore(connection);
  const authenticator = createAuthenticator(
    keys,
    createKeyCache({ max: 100, ttlMs: 1 }),
    { environment: 'production', adminRequestsPerMinute: 60, adminSecret: undefined },
    clock,
  );
  const projects = createMongoProjectsStore(connection);
  const apiKeys = createApiKeysService({
    keys,
    projects,
    environment: 'production',
    evictHere: () => undefined,
    clock,
  });
  const callerChecks = createCallerChecks({
    authenticator,
    keys,
    sessions: store,
    projects,
    clock,
  });
  return {
    store,
    audit,
    projects,
    /** The service, with other parts if a test names them. */
    service: (parts: { sessions?: SessionsStore; authenticator?: Authenticator } = {}) =>
      createSessionsService({
        sessions: store,
        links,
        authenticator,
        apiKeys,
        projects,
        callerChecks,
        audit,
        transact: (run) => transact(connection, run),
        clock,
        ...parts,
      }),
    authenticator,
    /** A new admin key, or a key as one. */
    async key(fields: Partial<ApiKey> = {}): Promise<{ key: ApiKey; secret: string }> {
      const { key, secret } = adminKey();
      const stored = { ...key, ...fields };
      await keys.insert(stored, undefined);
      return { key: stored, secret };
    },
    async close() {
      await connection.close();
      await database.drop();
    },
  };
}

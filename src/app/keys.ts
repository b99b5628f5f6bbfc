import type { Connection } from 'mongoose';
import { createApiKeysService, type ApiKeysService } from '../features/keys/api-keys-service.js';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import { createAuthenticator, type Authenticator } from '../features/keys/authenticator.js';
import { createAuthority, type Authority } from '../features/keys/authority.js';
import type { KeyCache } from '../features/keys/key-cache.js';
import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import { transact } from '../platform/mongo/connection.js';
import { createSessionsService, type SessionsService } from '../features/keys/sessions/sessions-service.js';
import type { Stores } from './stores.js';
import type { Tracing } from '../observability/tracing/tracing.js';

/** API keys and sessions, and the authentication of callers. */
export interface Keys {
  apiKeys: ApiKeysService;
  authenticator: Authenticator;
  authority: Authority;
  sessions: SessionsService;
}

export interface KeysParts {
  stores: Pick<Stores, 'apiKeys' | 'audit' | 'projects' | 'sessions' | 'signInLinks'>;
  keyCache: KeyCache;
  changed: (change: KeyChange) => void;
  tracing: Pick<Tracing, 'keys'>;
  clock: Clock;
}

export function createKeys(
  { adminApiKey, adminRequestsPerMinute, environment }: Config,
  connection: Connection,
  { stores, keyCache, changed, tracing, clock }: KeysParts,
): Keys {
  const authenticator = createAuthenticator(
    tracing.keys(stores.apiKeys),
    keyCache,
    { environment, adminRequestsPerMinute, adminSecret: adminApiKey },
    clock,
  );
  const authority = createAuthority({
    authenticator,
    keys: stores.apiKeys,
    sessions: stores.sessions,
    projects: stores.projects,
    clock,
  });
  return {
    apiKeys: createApiKeysService({
      keys: stores.apiKeys,
      projects: stores.projects,
      environment,
      changed,
      clock,
    }),
    authenticator,
    authority,
    sessions: createSessionsService({
      sessions: stores.sessions,
      links: stores.signInLinks,
      authenticator,
      authority,
      audit: stores.audit,
      transact: (run) => transact(connection, run),
      clock,
    }),
  };
}

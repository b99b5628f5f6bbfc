import type { Awaitable } from '../../lib/awaitable.js';
import { serviceUnavailable } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import { NO_RESETS } from '../plans/window.js';
import { withTimeout } from '../../lib/with-timeout.js';
import type { ApiKeysStore } from './api-keys-store.js';
import { createCaller, invalidApiKey, requireUsable, type Caller } from './caller.js';
import type { KeyCache } from './key-cache.js';
import { faultOfSecret, hashSecret, isSameHash, isWellFormed, type AppEnvironment } from './secret.js';

export interface Authenticator {
  /**
   * Returns the caller that this secret belongs to.
   * @param mayGuess whether the client may still try values that could be guesses at ADMIN_API_KEY; asked only if the
   * answer matters. A value in the form of the keys is none: it has 190 random bits.
   * @throws ApiError invalid_api_key; service_unavailable if the key store does not respond
   */
  authenticate(secret: string, mayGuess?: () => boolean): Promise<Caller>;
  /** Like authenticate, for a caller that proved to have the secret before. Only the secret's hash was stored. */
  authenticateHash(secretHash: string): Promise<Caller>;
  /**
   * Checks again a caller that was authenticated before, in memory unless its key has changed since. Returns the same
   * key and project as `caller` if neither has changed, and the current ones otherwise.
   * @throws ApiError as authenticate
   */
  current(caller: Caller): Awaitable<Caller>;
}

export interface AuthenticatorSettings {
  environment: AppEnvironment;
  adminRequestsPerMinute: number;
  /** ADMIN_API_KEY: an admin key in the configuration instead of the store. */
  adminSecret: string | undefined;
}

/** How long a request waits for the key lookup. */
const LOOKUP_TIMEOUT_MS = 3000;

/** The id of the configured admin key in quotas, audit records and logs. */
export const CONFIGURED_ADMIN_KEY_ID = 'key_configured_admin';

export function createAuthenticator(
  store: Pick<ApiKeysStore, 'findBySecretHash'>,
  cache: KeyCache,
  settings: AuthenticatorSettings,
  clock: Clock,
): Authenticator {
  const { environment, adminRequestsPerMinute, adminSecret } = settings;
  const configured = adminSecret === undefined ? undefined : configuredAdmin(adminSecret, settings, clock);

  async function load(hash: string): Promise<Caller | undefined> {
    try {
      const found = await withTimeout(store.findBySecretHash(hash), LOOKUP_TIMEOUT_MS);
      return found && createCaller(found.key, found.project, adminRequestsPerMinute, hash);
    } catch (error) {
      // Never 401: a client that gets 401 would discard a valid key.
      throw serviceUnavailable('The gateway cannot check API keys at the moment.', error);
    }
  }

  const isConfigured = (hash: string) => configured !== undefined && isSameHash(configured.hash, hash);

  async function callerOf(hash: string): Promise<Caller> {
    if (configured !== undefined && isConfigured(hash)) return configured.caller;
    const caller = await cache.find(hash, () => load(hash));
    requireUsable(caller, clock());
    return caller;
  }

  return {
    async authenticate(secret, mayGuess = () => true) {
      const hash = hashSecret(secret);
      if (isWellFormed(secret, environment)) return callerOf(hash);
      if (configured !== undefined && mayGuess() && isConfigured(hash)) return configured.caller;
      throw invalidApiKey(faultOfSecret(secret, environment));
    },
    authenticateHash: callerOf,
    current(caller) {
      const { key, project, secretHash } = caller;
      if (key.id === CONFIGURED_ADMIN_KEY_ID) return caller;
      const known = cache.peek(secretHash);
      if (known?.key !== key || known.project !== project) return callerOf(secretHash);
      requireUsable(known, clock());
      return caller;
    },
  };
}

function configuredAdmin(
  secret: string,
  { adminRequestsPerMinute }: AuthenticatorSettings,
  clock: Clock,
): { hash: string; caller: Caller } {
  const hash = hashSecret(secret);
  const key = {
    id: CONFIGURED_ADMIN_KEY_ID,
    name: 'ADMIN_API_KEY',
    role: 'admin' as const,
    secrets: [{ hash, start: '' }],
    allowedOrigins: [],
    createdAt: new Date(clock()),
    epochs: NO_RESETS,
    usageToday: 0,
  };
  return { hash, caller: createCaller(key, undefined, adminRequestsPerMinute, hash) };
}

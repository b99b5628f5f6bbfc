import type { ApiKeysStore } from '../../../src/features/keys/api-keys-store.js';
import {
  createAuthenticator,
  CONFIGURED_ADMIN_KEY_ID,
  type AuthenticatorSettings,
} from '../../../src/features/keys/authenticator.js';
import { createKeyCache } from '../../../src/features/keys/key-cache.js';
import { createSecret, hashSecret } from '../../../src/features/keys/secret.js';
import { NO_RESETS } from '../../../src/features/plans/window.js';
import { ApiError } from '../../../src/lib/errors.js';
import { adminKey } from '../../support/admin-key.js';
import { openKeyStore } from '../../support/key-store.js';

const ADMIN_SECRET = 'configured-admin-key';
const settings: AuthenticatorSettings = {
  environment: 'production',
  adminRequestsPerMinute: 60,
  adminSecret: ADMIN_SECRET,
};
const newCache = () => createKeyCache({ max: 100, ttlMs: 3_600_000 });

let store: ApiKeysStore;
let close: () => Promise<void>;
let lookUps: number;
let nowMs: number;

beforeAll(async () => {
  ({ store, close } = await openKeyStore());
});
afterAll(() => close());
beforeEach(() => {
  lookUps = 0;
  nowMs = Date.now();
});

function authenticator(
  findBySecretHash: ApiKeysStore['findBySecretHash'] = (hash) => store.findBySecretHash(hash),
) {
  const counted = (hash: string) => {
    lookUps += 1;
    return findBySecretHash(hash);
  };
  const made = createAuthenticator(
    { ...store, findBySecretHash: counted },
    newCache(),
    settings,
    () => nowMs,
  );
  return Object.assign((secret: string) => made.authenticate(secret), {
    byHash: (secretHash: string) => made.authenticateHash(secretHash),
  });
}

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error.code : error),
  );

describe('authentication', () => {
  test('finds the key of a secret, with one look-up', async () => {
    const { key, secret } = adminKey();
    await store.insert(key, undefined);
    const authenticate = authenticator();
    const found = await Promise.all(Array.from({ length: 100 }, () => authenticate(secret)));
    expect(new Set(found.map((caller) => caller.key.id))).toEqual(new Set([key.id]));
    expect(lookUps).toBe(1);
  });

  test.each([
    ['a key of the other environment', createSecret('staging')],
    ['a wrong checksum', `${createSecret('production').slice(0, -1)}!`],
    ['nonsense', 'nonsense'],
    ['nothing', ''],
  ])('rejects %s without a lookup', async (_what, secret) => {
    expect(await codeOf(authenticator()(secret))).toBe('invalid_api_key');
    expect(lookUps).toBe(0);
  });

  test('rejects an unknown key, asking the store once', async () => {
    const authenticate = authenticator();
    const secret = createSecret('production');
    for (let i = 0; i < 5; i++) expect(await codeOf(authenticate(secret))).toBe('invalid_api_key');
    expect(lookUps).toBe(1);
  });

  test('rejects a cached key from the moment it expires', async () => {
    const { key, secret } = adminKey();
    await store.insert({ ...key, expiresAt: new Date(nowMs + 1000) }, undefined);
    const authenticate = authenticator();
    nowMs += 999;
    expect(await codeOf(authenticate(secret))).toBeUndefined();
    nowMs += 1;
    expect(await codeOf(authenticate(secret))).toBe('invalid_api_key');
    expect(lookUps).toBe(1);
  });

  test('says 503, never 401, while the store does not answer; and asks again at the next request', async () => {
    const { key, secret } = adminKey();
    await store.insert(key, undefined);
    let down = true;
    const authenticate = authenticator((hash) =>
      down ? Promise.reject(new Error('cut')) : store.findBySecretHash(hash),
    );
    expect(await codeOf(authenticate(secret))).toBe('service_unavailable');
    down = false;
    expect((await authenticate(secret)).key.id).toBe(key.id);
  });

  test('knows the configured admin key without the store', async () => {
    expect(await authenticator()(ADMIN_SECRET)).toEqual({
      key: {
        id: CONFIGURED_ADMIN_KEY_ID,
        name: 'ADMIN_API_KEY',
        role: 'admin',
        secrets: [{ hash: hashSecret(ADMIN_SECRET), start: '' }],
        allowedOrigins: [],
        createdAt: new Date(nowMs),
        epochs: NO_RESETS,
        usageToday: 0,
      },
      project: undefined,
      meter: { id: CONFIGURED_ADMIN_KEY_ID, windows: [{ name: 'minute', limit: 60, epoch: 0 }] },
      secretHash: hashSecret(ADMIN_SECRET),
    });
    expect(lookUps).toBe(0);
  });

  test('takes the hash of a secret for the secret: the same look-up, the same end', async () => {
    const { key, secret } = adminKey();
    await store.insert({ ...key, expiresAt: new Date(nowMs + 1000) }, undefined);
    const authenticate = authenticator();
    expect(await authenticate.byHash(hashSecret(secret))).toBe(await authenticate(secret));
    expect((await authenticate.byHash(hashSecret(ADMIN_SECRET))).key.id).toBe(CONFIGURED_ADMIN_KEY_ID);
    expect(lookUps).toBe(1);
    nowMs += 1000;
    for (const hash of [hashSecret(secret), hashSecret('nonsense')])
      expect(await codeOf(authenticate.byHash(hash))).toBe('invalid_api_key');
  });

  test('accepts no configured key if none is set', async () => {
    const made = createAuthenticator(store, newCache(), { ...settings, adminSecret: undefined }, () => nowMs);
    expect(await codeOf(made.authenticate(ADMIN_SECRET))).toBe('invalid_api_key');
  });
});

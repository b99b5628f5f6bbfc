import type { ApiKey } from '../../src/features/keys/api-key.js';
import { createSecret, hashSecret, startOf } from '../../src/features/keys/secret.js';
import { NO_RESETS } from '../../src/features/plans/window.js';
import { randomBase62 } from '../../src/lib/random-id.js';

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
    epochs: NO_RESETS,
    usageToday: 0,
  };
  return { key, secret, hash };
}

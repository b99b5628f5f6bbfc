import type { ApiKeyDocument } from '../../src/features/keys/mongo-api-key-document.js';
import { createSecret, hashSecret, startOf } from '../../src/features/keys/secret.js';
import { randomBase62 } from '../../src/lib/random-id.js';

/**
 * A key like one that the gateway has created, with an id and a secret of its own: the gateway creates keys one by one,
 * which takes minutes for thousands.
 */
export function copyKey(key: ApiKeyDocument): { secret: string; copy: ApiKeyDocument } {
  const secret = createSecret('production');
  const secrets = [{ hash: hashSecret(secret), start: startOf(secret, 'production') }];
  return { secret, copy: { ...key, _id: `key_${randomBase62(16)}`, secrets } };
}

import type { Config } from '../../config/config.js';
import { fault, ok, warning, type Finding } from './finding.js';

const CHECK = 'admin key';
const SHORT = 32;

/** Checks that there is an admin key, without which nobody can administer the gateway. */
export function checkAdminKey({ adminApiKey }: Pick<Config, 'adminApiKey'>, isStored: boolean): Finding {
  if (adminApiKey !== undefined)
    return adminApiKey.length >= SHORT
      ? ok(CHECK, 'set by ADMIN_API_KEY')
      : warning(
          CHECK,
          `ADMIN_API_KEY is shorter than ${SHORT} characters`,
          'Make it by: openssl rand -base64 32',
        );
  return isStored
    ? ok(CHECK, 'there is one')
    : fault(CHECK, 'there is none that works', 'Make one: npx pets-gateway keys create --role admin');
}

/**
 * Checks that the configured keys can open all stored private keys, and names configured keys that no private key
 * needs.
 */
export function checkKeyRing(
  { encryptionKeys }: Pick<Config, 'encryptionKeys'>,
  usedKeyIds: readonly string[],
): Finding[] {
  const check = 'KEY_ENCRYPTION_KEYS';
  const known = new Set(encryptionKeys.map(({ id }) => id));
  const missing = usedKeyIds.filter((id) => !known.has(id));
  if (missing.length > 0)
    return [
      fault(
        check,
        `private keys are stored that were encrypted with ${missing.join(', ')}, which is not among them`,
        'Add it behind the first; without it these domains have no HTTPS.',
      ),
    ];
  if (encryptionKeys.length === 0) return [];
  const used = new Set(usedKeyIds);
  // The first key is needed for new private keys, whether used yet or not.
  const over = encryptionKeys.slice(1).filter(({ id }) => !used.has(id));
  const mayGo = over.length === 0 ? '' : `; may be taken out: ${over.map(({ id }) => id).join(', ')}`;
  return [ok(check, `open everything that is stored${mayGo}`)];
}

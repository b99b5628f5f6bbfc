import type { Config } from '../config.js';
import { fault, ok, warning, type Finding } from './finding.js';

const CHECK = 'admin key';
const SHORT = 32;

/** Whether anybody can administer the gateway. */
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

/** Whether the private keys that are stored can be opened by the keys of this configuration. */
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
  return encryptionKeys.length === 0 ? [] : [ok(check, 'open everything that is stored')];
}

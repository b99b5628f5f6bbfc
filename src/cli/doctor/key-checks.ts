import type { Config } from '../../config/config.js';
import {
  addMissing,
  compareKeys,
  everyGatewayLists,
  quotedIds,
} from '../../features/publishing/certificates/key-rotation.js';
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

/** Checks that the configured keys can open all stored private keys, and says which step of a rotation is next. */
export function checkKeyRing(
  { encryptionKeys }: Pick<Config, 'encryptionKeys'>,
  usedKeyIds: readonly string[],
  wrongKeyIds: readonly string[],
): Finding[] {
  const check = 'KEY_ENCRYPTION_KEYS';
  const keyIds = encryptionKeys.map(({ id }) => id);
  const { missing, unused, replaced } = compareKeys(keyIds, usedKeyIds);
  const [first] = keyIds;
  if (missing.length > 0)
    return [
      fault(
        check,
        `private keys are stored that were encrypted with ${quotedIds(missing)}, which is not among them`,
        `${addMissing(missing)} Until then, domains with these private keys have no HTTPS here.`,
      ),
    ];
  if (first === undefined) return [];
  if (wrongKeyIds.length > 0)
    return [
      fault(
        check,
        `${quotedIds(wrongKeyIds)} is another key than the one of that id that encrypted what is stored`,
        'Set the same KEY_ENCRYPTION_KEYS on every gateway. Until then, domains have no HTTPS here.',
      ),
    ];
  if (replaced.length > 0)
    return [
      warning(
        check,
        `${quotedIds([first])} is first and encrypts new private keys; the stored ones are encrypted with ${quotedIds(replaced)}`,
        everyGatewayLists(first),
      ),
    ];
  const next =
    unused.length === 0
      ? ''
      : `; nothing is encrypted with ${quotedIds(unused)}: put a new key first once every gateway lists it, remove an old key`;
  return [ok(check, `open everything that is stored${next}`)];
}

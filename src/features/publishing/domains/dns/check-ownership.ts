import type { Fault } from '../problem.js';
import { checked, failed, PASSED, shown, type Check } from './check.js';
import { followCnames, type Dns } from './dns.js';

/** The TXT record that proves the ownership of a name. */
export interface OwnershipRecord {
  name: string;
  value: string;
}

/**
 * Returns the record `_pets-gateway.<name>` with the value `pets-gateway=<token>`. It has a name of its own, as RFC
 * 8552 recommends, because a TXT record cannot share a name with a CNAME record.
 */
export function ownershipRecord(name: string, token: string): OwnershipRecord {
  return { name: `${OWNERSHIP_LABEL}.${name}`, value: `pets-gateway=${token}` };
}

export const OWNERSHIP_LABEL = '_pets-gateway';

export type OwnershipFault = Fault & { code: 'ownership_txt_required' };

/** Checks whether the TXT record that proves ownership of `name` is published, alone or among other records. */
export function checkOwnership(name: string, token: string, dns: Dns): Promise<Check<OwnershipFault>> {
  return checked(async () => {
    const { name: recordName, value: expected } = ownershipRecord(name, token);
    const { end } = await followCnames(recordName, dns);
    const found = end === undefined ? [] : (await dns.txt(end)).records;
    if (found.some((value) => value.trim() === expected)) return PASSED;
    return failed({
      code: 'ownership_txt_required',
      recordName,
      expected,
      ...(found.length > 0 && { found: shown(found) }),
    });
  });
}

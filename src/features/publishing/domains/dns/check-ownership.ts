import type { Fault } from '../problem.js';
import { type Check, PASSED, checked, failed } from './check.js';
import type { Dns } from './dns.js';
import { followCnames } from './follow-cnames.js';
import { ownershipRecord } from './ownership-record.js';
import { shown } from './shown.js';

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

import type { DomainName } from '../domain-name.js';
import type { Fault, OwnershipMistake } from '../problem.js';
import { checked, failed, PASSED, shown, type Check } from './check.js';
import { DnsUnavailable, followCnames, type Answer, type Dns } from './dns.js';

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

/**
 * Checks whether the TXT record that proves ownership of a name is published, alone or among other records. If it is not,
 * the fault names a common mistake with it.
 */
export function checkOwnership(
  { name, registrable }: Pick<DomainName, 'name' | 'registrable'>,
  token: string,
  dns: Dns,
): Promise<Check<OwnershipFault>> {
  return checked(async () => {
    const record = ownershipRecord(name, token);
    const { name: recordName, value: expected } = record;
    const { targets, end } = await followCnames(recordName, dns);
    const found = end === undefined ? [] : (await dns.txt(end)).records;
    if (found.some((value) => value.trim() === expected)) return PASSED;
    const mistake = found.some((value) => isMeant(value, expected))
      ? ({ kind: 'quotes' } as const)
      : ((await findDoubled(record, [registrable, name], dns)) ?? (await findWildcard(name, targets, dns)));
    return failed({
      code: 'ownership_txt_required',
      recordName,
      expected,
      ...(found.length > 0 && { found: shown(found) }),
      ...(mistake !== undefined && { mistake }),
    });
  });
}

/** Whether a value is the expected one but for what is around it, such as quotes, which some providers publish. */
function isMeant(value: string, expected: string): boolean {
  const around = value.split(expected);
  return around.length === 2 && around.every((text) => !/[\w=-]/.test(text));
}

/** Finds the record where it is if the provider appends its zone to a name that has it already. */
async function findDoubled(
  { name, value: expected }: OwnershipRecord,
  zones: readonly string[],
  dns: Dns,
): Promise<OwnershipMistake | undefined> {
  for (const zone of new Set(zones)) {
    const foundAt = `${name}.${zone}`;
    const { records } = await unlessUnavailable(dns.txt(foundAt));
    if (records.some((value) => isMeant(value, expected)))
      return { kind: 'doubled', foundAt, label: name.slice(0, -zone.length - 1) };
  }
  return undefined;
}

/**
 * A wildcard that gives the name its CNAME record gives the same one to the names below it. A CNAME record of the name
 * itself does not.
 */
async function findWildcard(
  name: string,
  [target]: readonly string[],
  dns: Dns,
): Promise<OwnershipMistake | undefined> {
  if (target === undefined) return undefined;
  const { records } = await unlessUnavailable(dns.cname(name));
  return records[0] === target ? { kind: 'wildcard', name } : undefined;
}

/** A mistake is only an explanation: the check has its result. */
async function unlessUnavailable(asked: Promise<Answer<string>>): Promise<Answer<string>> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DnsUnavailable) return { nameExists: false, records: [] };
    throw error;
  }
}

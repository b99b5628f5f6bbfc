import { isIPv6 } from 'node:net';
import type { DomainName } from '../domain-name.js';
import type { RoutingRecord } from '../problem.js';
import { OWNERSHIP_LABEL, ownershipRecord } from './check-ownership.js';

/** A DNS record for the customer to add. */
export interface PublishedRecord {
  type: RoutingRecord | 'A' | 'AAAA' | 'TXT';
  /** The name as DNS providers ask for it, relative to the registrable domain; `@` is that domain itself. */
  name: string;
  /** The same name in full. */
  fullName: string;
  value: string;
  /** In seconds. */
  ttl: number;
}

export interface Publishing {
  /** The project's own host, `<slug>.<PLATFORM_HOST>`. */
  platformHost: string;
  /** Set if ownership must be proved. */
  ownershipToken?: string | undefined;
}

/** From the specification. */
const TTL_SECONDS = 3600;

/** Returns the record that leads the domain to the project, and the record that proves ownership if required. */
export function recordsToPublish(
  { name, label, isApex }: Pick<DomainName, 'name' | 'label' | 'isApex'>,
  { platformHost, ownershipToken }: Publishing,
): PublishedRecord[] {
  const records: PublishedRecord[] = [
    {
      type: isApex ? 'ALIAS' : 'CNAME',
      name: isApex ? '@' : label,
      fullName: name,
      value: platformHost,
      ttl: TTL_SECONDS,
    },
  ];
  if (ownershipToken === undefined) return records;
  const proof = ownershipRecord(name, ownershipToken);
  return [
    ...records,
    {
      type: 'TXT',
      name: isApex ? OWNERSHIP_LABEL : `${OWNERSHIP_LABEL}.${label}`,
      fullName: proof.name,
      value: proof.value,
      ttl: TTL_SECONDS,
    },
  ];
}

/**
 * Returns the records that an apex can have in place of the ALIAS record: one for each fixed address of the platform.
 * Empty for a subdomain.
 */
export function addressRecords(
  { name, isApex }: Pick<DomainName, 'name' | 'isApex'>,
  platformAddresses: readonly string[],
): PublishedRecord[] {
  if (!isApex) return [];
  return platformAddresses.map((value) => ({
    type: isIPv6(value) ? 'AAAA' : 'A',
    name: '@',
    fullName: name,
    value,
    ttl: TTL_SECONDS,
  }));
}

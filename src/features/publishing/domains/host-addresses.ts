import { siteHost } from '../../projects/site-address.js';
import type { Dns } from './dns/dns.js';

/** A slug that no site has. A wildcard record covers it too. */
const ANY_SLUG = 'doctor-check';

export interface SomeHost {
  host: string;
  /** The name of the DNS record. */
  record: string;
}

/** A host that represents the hosts of all sites. */
export function anySite(platformHost: string): SomeHost {
  return { host: siteHost(ANY_SLUG, platformHost), record: `*.${platformHost}` };
}

/** @throws DnsUnavailable */
export async function addressesOf(host: string, dns: Dns): Promise<string[]> {
  const answers = await Promise.all([dns.addresses4(host), dns.addresses6(host)]);
  return answers.flatMap(({ records }) => records);
}

/** What is wrong with a host of the operator that has no address, and what to do. */
export function noAddress(record: string): { finding: string; remedy: string } {
  return {
    finding: `${record} has no address in DNS`,
    remedy: `Publish A and AAAA records for ${record}.`,
  };
}

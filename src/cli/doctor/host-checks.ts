import type { Config } from '../../config/config.js';
import { DnsUnavailable, type Dns } from '../../features/publishing/domains/dns/dns.js';
import { isLocalhostName } from '../../lib/loopback.js';
import { siteHost } from '../../features/projects/site-address.js';
import { ok, warning, type Finding } from './finding.js';

/** A slug that no site has. A wildcard record covers it too. */
const ANY_SLUG = 'doctor-check';

interface Host {
  /** The setting that names the host. */
  check: string;
  host: string;
  /** The name of the DNS record. */
  record: string;
}

/** Checks that the host names of the settings have addresses, and that PLATFORM_ADDRESSES lists those of the sites. */
export async function checkHosts(
  { publicUrl, platformHost, platformAddresses }: Config,
  dns: Dns,
): Promise<Finding[]> {
  const hosts = [
    publicUrl === undefined ? [] : ownHost(publicUrl),
    platformHost === undefined ? [] : anySite(platformHost),
  ].flat();
  const found = await Promise.all(
    hosts.map((host) =>
      checkHost(host, dns).catch((error: unknown) => {
        if (!(error instanceof DnsUnavailable)) throw error;
        return warning(
          host.check,
          `DNS does not answer for ${host.host}: ${error.reason}`,
          'Look at DNS_SERVERS and the network.',
        );
      }),
    ),
  );
  if (platformHost === undefined || platformAddresses.length === 0) return found;
  return [...found, ...(await compareAddresses(anySite(platformHost), platformAddresses, dns))];
}

/** Customers copy PLATFORM_ADDRESSES into their DNS, so the list has to agree with the DNS of the sites. */
async function compareAddresses(
  { host, record }: Host,
  listed: readonly string[],
  dns: Dns,
): Promise<Finding[]> {
  const check = 'PLATFORM_ADDRESSES';
  let inDns: readonly string[];
  try {
    inDns = await addressesOf(host, dns);
  } catch (error) {
    if (error instanceof DnsUnavailable) return [];
    throw error;
  }
  if (inDns.length === 0) return [];
  const [old, missing] = [without(listed, inDns), without(inDns, listed)];
  const findings = [
    ...(old.length === 0
      ? []
      : [
          warning(
            check,
            `lists ${old.join(', ')}, to which ${record} does not lead`,
            'Customers see these addresses as the ones to use. Correct the list or the DNS records. If the addresses have changed, keep the old ones until customers have changed their records.',
          ),
        ]),
    ...(missing.length === 0
      ? []
      : [
          warning(
            check,
            `lacks ${missing.join(', ')}, to which ${record} leads`,
            'If these addresses never change, add them to the list.',
          ),
        ]),
  ];
  return findings.length > 0 ? findings : [ok(check, `are the addresses of ${record}`)];
}

function without(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((address) => !others.includes(address));
}

function ownHost(publicUrl: string): Host {
  const { hostname } = new URL(publicUrl);
  return { check: 'PUBLIC_URL', host: hostname, record: hostname };
}

/** A host that represents the hosts of all sites. */
export function anySite(platformHost: string): Host {
  return { check: 'PLATFORM_HOST', host: siteHost(ANY_SLUG, platformHost), record: `*.${platformHost}` };
}

/** @throws DnsUnavailable */
export async function checkHost({ check, host, record }: Host, dns: Dns): Promise<Finding> {
  if (isLocalhostName(host) || /^[\d.]+$|^\[/.test(host))
    return ok(check, `${host} is for this machine alone`);
  const addresses = await addressesOf(host, dns);
  return addresses.length > 0
    ? ok(check, `${record} leads to ${addresses.join(', ')}`)
    : warning(check, `${record} has no address in DNS`, `Publish A and AAAA records for ${record}.`);
}

/** @throws DnsUnavailable */
export async function addressesOf(host: string, dns: Dns): Promise<string[]> {
  const answers = await Promise.all([dns.addresses4(host), dns.addresses6(host)]);
  return answers.flatMap(({ records }) => records);
}

import type { Config } from '../../config/config.js';
import { DnsUnavailable, type Dns } from '../../features/publishing/domains/dns/dns.js';
import {
  addressesOf,
  anySite,
  noAddress,
  type SomeHost,
} from '../../features/publishing/domains/host-addresses.js';
import { isLocalhostName } from '../../lib/loopback.js';
import { ok, warning, type Finding } from './finding.js';

interface Host extends SomeHost {
  /** The setting that names the host. */
  check: string;
}

/** Checks that the host names of the settings have addresses, and that PLATFORM_ADDRESSES lists those of the sites. */
export async function checkHosts(
  { publicUrl, platformHost, platformAddresses }: Config,
  dns: Dns,
): Promise<Finding[]> {
  const hosts = [
    publicUrl === undefined ? [] : ownHost(publicUrl),
    platformHost === undefined ? [] : { check: 'PLATFORM_HOST', ...anySite(platformHost) },
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
  { host, record }: SomeHost,
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

/** @throws DnsUnavailable */
async function checkHost({ check, host, record }: Host, dns: Dns): Promise<Finding> {
  if (isLocalhostName(host) || /^[\d.]+$|^\[/.test(host))
    return ok(check, `${host} is for this machine alone`);
  const addresses = await addressesOf(host, dns);
  if (addresses.length > 0) return ok(check, `${record} leads to ${addresses.join(', ')}`);
  const { finding, remedy } = noAddress(record);
  return warning(check, finding, remedy);
}

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

/** Checks that the host names of the settings have addresses. */
export async function checkHosts({ publicUrl, platformHost }: Config, dns: Dns): Promise<Finding[]> {
  const hosts = [
    publicUrl === undefined ? [] : ownHost(publicUrl),
    platformHost === undefined ? [] : anySite(platformHost),
  ].flat();
  return Promise.all(
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
  const answers = await Promise.all([dns.addresses4(host), dns.addresses6(host)]);
  const addresses = answers.flatMap(({ records }) => records);
  return addresses.length > 0
    ? ok(check, `${record} leads to ${addresses.join(', ')}`)
    : warning(check, `${record} has no address in DNS`, `Publish A and AAAA records for ${record}.`);
}

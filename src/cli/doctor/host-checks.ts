import type { Config } from '../../config/config.js';
import { DnsUnavailable, type Dns } from '../../features/publishing/domains/dns/dns.js';
import { isLocalhostName } from '../../lib/loopback.js';
import { siteHost } from '../../features/projects/site-address.js';
import { ok, warning, type Finding } from './finding.js';

/** Nobody's site: a record for all names answers for it as well. */
const ANY_SLUG = 'doctor-check';

interface Host {
  /** The setting. */
  check: string;
  host: string;
  /** What it is called in DNS. */
  record: string;
}

/** Whether the names that people are told lead anywhere. */
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

/** The host that stands for those of all sites. */
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

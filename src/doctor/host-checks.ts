import type { Config } from '../config.js';
import { DnsUnavailable, type Dns } from '../domains/dns/dns.js';
import { siteHost } from '../projects/site-address.js';
import { ok, warning, type Finding } from './finding.js';

/** Nobody's site: a record for all names answers for it as well. */
const ANY_SLUG = 'doctor-check';

/** Whether the names that people are told lead anywhere. */
export async function checkHosts({ publicUrl, platformHost }: Config, dns: Dns): Promise<Finding[]> {
  const hosts = [
    ...(publicUrl === undefined ? [] : [{ check: 'PUBLIC_URL', host: new URL(publicUrl).hostname }]),
    ...(platformHost === undefined
      ? []
      : [{ check: 'PLATFORM_HOST', host: siteHost(ANY_SLUG, platformHost), record: `*.${platformHost}` }]),
  ];
  return Promise.all(hosts.map(({ check, host, record = host }) => checkHost(check, host, record, dns)));
}

async function checkHost(check: string, host: string, record: string, dns: Dns): Promise<Finding> {
  if (host === 'localhost' || host.endsWith('.localhost') || /^[\d.]+$|^\[/.test(host))
    return ok(check, `${host} is for this machine alone`);
  try {
    const answers = await Promise.all([dns.addresses4(host), dns.addresses6(host)]);
    const addresses = answers.flatMap(({ records }) => records);
    return addresses.length > 0
      ? ok(check, `${record} leads to ${addresses.join(', ')}`)
      : warning(check, `${record} has no address in DNS`, `Publish A and AAAA records for ${record}.`);
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    return warning(
      check,
      `DNS does not answer for ${host}: ${error.reason}`,
      'Look at DNS_SERVERS and the network.',
    );
  }
}

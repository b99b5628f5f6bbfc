import type { Config } from '../config/config.js';
import { anySite, checkHost } from './doctor/host-checks.js';
import type { Domain } from '../features/publishing/domains/domain.js';
import { checkRouting, type RoutingTarget } from '../features/publishing/domains/dns/check-routing.js';
import { createDns, DnsUnavailable, type Dns } from '../features/publishing/domains/dns/dns.js';
import { publicNamesOf } from '../features/publishing/domains/private-names.js';
import { siteHost } from '../features/projects/site-address.js';
import { problemOf, type ProblemCode } from '../features/publishing/domains/problem.js';
import { isLocalhostName } from '../lib/loopback.js';
import type { Project } from '../features/projects/project.js';

/** Milliseconds. Short, because a person waits at a terminal. The gateway checks more thoroughly. */
const LOOK_UP_MS = 2000;
/** Not obstacles: a new domain has no record yet, and a missing DNS answer proves nothing. */
const EXPECTED: readonly ProblemCode[] = ['no_record', 'nxdomain', 'dns_unavailable'];

/**
 * The reasons why a domain will not be served, given these settings and the current DNS records, each with what to do.
 */
export async function obstaclesOf(domain: Domain, project: Project, config: Config): Promise<string[]> {
  const { platformHost, platformAddresses } = config;
  if (platformHost === undefined) return [];
  const dns = publicNamesOf(createDns({ servers: config.dnsServers, timeoutMs: LOOK_UP_MS }), platformHost);
  const inDns = isLocalhostName(platformHost)
    ? [`PLATFORM_HOST is ${platformHost}, which only this machine can reach: no DNS record can point to it.`]
    : await Promise.all([
        ofPlatform(platformHost, dns),
        ofDomain(domain, { platformHost: siteHost(project.slug, platformHost), platformAddresses }, dns),
      ]);
  return [...ofSettings(config), ...inDns.flat()];
}

function ofSettings({ httpPort, httpsPort, acme }: Config): string[] {
  return [
    httpsPort === undefined
      ? 'HTTPS_PORT is not set: the gateway serves the domain over plain HTTP only.'
      : [],
    acme === undefined
      ? 'ACME_DIRECTORY_URL is not set: the gateway issues no SSL certificate for the domain.'
      : [],
    httpPort === undefined
      ? 'HTTP_PORT is not set: forward port 80 to PORT, because visitors and the certificate authority connect to port 80.'
      : [],
  ].flat();
}

async function ofPlatform(platformHost: string, dns: Dns): Promise<string[]> {
  try {
    const { finding, remedy } = await checkHost(anySite(platformHost), dns);
    return remedy === undefined ? [] : [`${finding}. ${remedy}`];
  } catch (error) {
    if (error instanceof DnsUnavailable) return [];
    throw error;
  }
}

async function ofDomain(domain: Domain, target: RoutingTarget, dns: Dns): Promise<string[]> {
  const routing = await checkRouting(domain, target, dns);
  if (routing.passed || EXPECTED.includes(routing.fault.code)) return [];
  return [problemOf(routing.fault, new Date(0)).message];
}

import { isLocalhostName } from '../../../lib/loopback.js';
import type { Project } from '../../projects/project.js';
import { siteHost } from '../../projects/site-address.js';
import { checkRouting, type RoutingTarget } from './dns/check-routing.js';
import { createDns, DnsUnavailable, type Dns } from './dns/dns.js';
import type { Domain } from './domain.js';
import { addressesOf, anySite, noAddress } from './host-addresses.js';
import { publicNamesOf } from './private-names.js';
import { problemOf, type ProblemCode } from './problem.js';

/** Milliseconds. Short, because a person waits. The domain jobs check more thoroughly. */
const LOOK_UP_MS = 2000;
/** Not obstacles: a new domain has no record yet, and a missing DNS answer proves nothing. */
const EXPECTED: readonly ProblemCode[] = ['no_record', 'nxdomain', 'dns_unavailable'];

/** The settings that decide whether domains can be served. */
export interface ObstacleSettings {
  platformHost: string;
  platformAddresses: readonly string[];
  /** `ip[:port]` each; if empty, the system's servers. */
  dnsServers: readonly string[];
  httpPort: number | undefined;
  httpsPort: number | undefined;
  /** The certificate authority, if there is one. */
  acme: object | undefined;
}

/**
 * The reasons why new domains of a project will not be served, given these settings and the current DNS records: a
 * sentence each, with what to do. Each is there once.
 */
export async function obstaclesTo(
  added: readonly Domain[],
  project: Pick<Project, 'slug'>,
  settings: ObstacleSettings,
): Promise<string[]> {
  const { platformHost, platformAddresses, dnsServers } = settings;
  if (isLocalhostName(platformHost))
    return [
      ...ofSettings(settings),
      `PLATFORM_HOST is ${platformHost}, which only this machine can reach: no DNS record can point to it.`,
    ];
  const dns = publicNamesOf(createDns({ servers: dnsServers, timeoutMs: LOOK_UP_MS }), platformHost);
  const target = { platformHost: siteHost(project.slug, platformHost), platformAddresses };
  const inDns = await Promise.all([
    ofPlatform(platformHost, dns),
    ...added.map((domain) => ofDomain(domain, target, dns)),
  ]);
  return [...ofSettings(settings), ...new Set(inDns.flat())];
}

function ofSettings({ httpPort, httpsPort, acme }: ObstacleSettings): string[] {
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
  const { host, record } = anySite(platformHost);
  try {
    if ((await addressesOf(host, dns)).length > 0) return [];
  } catch (error) {
    if (error instanceof DnsUnavailable) return [];
    throw error;
  }
  const { finding, remedy } = noAddress(record);
  return [`${finding}. ${remedy}`];
}

async function ofDomain(domain: Domain, target: RoutingTarget, dns: Dns): Promise<string[]> {
  const routing = await checkRouting(domain, target, dns);
  if (routing.passed || EXPECTED.includes(routing.fault.code)) return [];
  return [problemOf(routing.fault, new Date(0)).message];
}

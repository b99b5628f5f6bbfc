import type { PlatformCertificate } from '../features/publishing/certificates/platform-certificate.js';
import { createSecureContexts } from '../features/publishing/certificates/secure-contexts.js';
import type { KeyRing } from '../features/publishing/certificates/key-ring.js';
import type { Config } from '../config/config.js';
import type { DomainsStore } from '../features/publishing/domains/domains-store.js';
import { inTime } from '../lib/in-time.js';
import type { ContextOf } from '../http/server/tls-server.js';
import type { Clock } from '../lib/clock.js';
import { isHostName } from '../lib/host-name.js';
import type { CacheStatistics } from '../lib/cache-statistics.js';
import type { Logger } from '../lib/logger.js';
import type { ProjectsStore } from '../features/projects/projects-store.js';
import { createLiveDomains, type LiveDomains } from '../features/publishing/sites/live-domains.js';

/** Finds the site and the certificate for the host that a visitor requests. */
export interface SiteRouting {
  live: LiveDomains;
  /** Whether the operator's own certificate is valid and covers this host. */
  isCovered: (host: string) => boolean;
  contextOf: ContextOf;
}

export interface SiteRoutingParts {
  domains: Pick<DomainsStore, 'holderOf' | 'wasHeld'>;
  projects: Pick<ProjectsStore, 'get' | 'getBySlug' | 'hadSlug'>;
  keyRing: KeyRing | undefined;
  /** The operator's certificate. */
  platformCertificate: PlatformCertificate | undefined;
  isWatching: () => boolean;
  cacheStatistics?: CacheStatistics | undefined;
  log: Logger;
  clock: Clock;
}

/** Returns undefined without PLATFORM_HOST. */
export function createSiteRouting(
  { platformHost, operatorHost, domainGraceMs, keyCache }: Config,
  {
    domains,
    projects,
    keyRing,
    platformCertificate,
    isWatching,
    cacheStatistics,
    log,
    clock,
  }: SiteRoutingParts,
): SiteRouting | undefined {
  if (platformHost === undefined) return undefined;
  const isCovered = (host: string) => platformCertificate?.covers(host) ?? false;
  const live = createLiveDomains({
    domains,
    projects,
    platformHost,
    isCovered,
    graceMs: domainGraceMs,
    isWatching,
    ttlMs: keyCache.ttlMs,
    cacheStatistics,
    clock,
  });
  const contexts =
    keyRing &&
    createSecureContexts({
      keyRing,
      certificateOf: async (host) => (await domains.holderOf(host))?.certificate.current,
    });

  // Used even after it has expired: the browser's error about an expired certificate is clearer than one about none.
  const platformContext = (host: string) =>
    platformCertificate?.isFor(host) === true ? platformCertificate.context() : undefined;

  async function contextOf(serverName: string) {
    const host = serverName.toLowerCase();
    if (!isHostName(host)) return undefined;
    if (host === operatorHost) return platformContext(host);
    const site = await live.at(host);
    const certificateId = site === undefined ? await live.absentCertificateId(host) : site.certificateId;
    if (certificateId !== undefined) return contexts?.get(host, certificateId);
    return site && platformContext(host);
  }

  return {
    live,
    isCovered,
    contextOf: (serverName) =>
      inTime(contextOf(serverName)).catch((err: unknown) => {
        log.error({ err, serverName }, 'Rejected a connection: the certificate of its host cannot be used');
        return undefined;
      }),
  };
}

import type { PlatformCertificate } from '../features/publishing/certificates/platform-certificate.js';
import { createSecureContexts } from '../features/publishing/certificates/secure-contexts.js';
import type { KeyRing } from '../features/publishing/certificates/key-ring.js';
import type { Config } from '../config/config.js';
import type { DomainsStore } from '../features/publishing/domains/domains-store.js';
import { inTime } from '../lib/in-time.js';
import type { ContextOf } from '../http/server/tls-server.js';
import { isHostName } from '../lib/host-name.js';
import type { CacheStatistics } from '../lib/cache-statistics.js';
import type { Logger } from '../lib/logger.js';
import type { ProjectsStore } from '../features/projects/projects-store.js';
import { createHostLookUps, type HostLookUpsParts } from '../features/publishing/sites/host-look-ups.js';
import { createLiveDomains, type LiveDomains } from '../features/publishing/sites/live-domains.js';
import { ApiError } from '../lib/errors.js';

/** Finds the site and the certificate for the host that a visitor requests. */
export interface SiteRouting {
  live: LiveDomains;
  /** Whether the operator's own certificate is valid and covers this host. */
  isCovered: (host: string) => boolean;
  /** @param client pays for a look-up that finds nothing; undefined if the connection comes from a proxy */
  contextOf: (serverName: string, client: string | undefined) => ReturnType<ContextOf>;
}

export interface SiteRoutingParts extends HostLookUpsParts {
  domains: Pick<DomainsStore, 'holderOf' | 'wasHeld'>;
  projects: Pick<ProjectsStore, 'get' | 'getBySlug' | 'hadSlug'>;
  keyRing: KeyRing | undefined;
  /** The operator's certificate. */
  platformCertificate: PlatformCertificate | undefined;
  isWatching: () => boolean;
  cacheStatistics?: CacheStatistics | undefined;
  log: Logger;
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
    anonymous,
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
    lookUp: createHostLookUps({ anonymous, clock }),
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

  async function contextOf(serverName: string, client: string | undefined) {
    const host = serverName.toLowerCase();
    if (!isHostName(host)) return undefined;
    if (host === operatorHost) return platformContext(host);
    const site = await live.at(host, client);
    if (site.certificateId !== undefined) return contexts?.get(host, site.certificateId);
    return 'absence' in site ? undefined : platformContext(host);
  }

  return {
    live,
    isCovered,
    contextOf: (serverName, client) =>
      inTime(contextOf(serverName, client)).catch((err: unknown) => {
        if (err instanceof ApiError && err.code === 'rate_limit_exceeded') return undefined;
        log.error({ err, serverName }, 'Rejected a connection: the certificate of its host cannot be used');
        return undefined;
      }),
  };
}

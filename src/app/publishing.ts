import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { createCustomerDomains, type CustomerDomains } from './customer-domains.js';
import type { Logger } from '../lib/logger.js';
import type { HostLookUpsParts } from '../features/publishing/sites/host-look-ups.js';
import type { StatisticsByCache } from '../lib/cache-statistics.js';
import { createPublishedSites, type PublishedSites } from '../features/publishing/sites/published-sites.js';
import type { Stores } from './stores.js';
import { createSiteRouting, type SiteRouting } from '../features/publishing/sites/site-routing.js';

/** The services behind published sites; each is undefined without PLATFORM_HOST. */
export interface Publishing {
  /** The published files. */
  sites: PublishedSites | undefined;
  /** Customers' domains and the platform's hosts. */
  customerDomains: CustomerDomains | undefined;
  /** Maps hosts to sites. */
  siteRouting: SiteRouting | undefined;
}

export interface PublishingParts extends HostLookUpsParts {
  stores: Pick<Stores, 'audit' | 'deploys' | 'projects'>;
  /** Whether this process notices changes made elsewhere at once, see `ChangeFeed.healthy`. */
  hearsOfChanges: () => boolean;
  cacheStatistics: StatisticsByCache;
  log: Logger;
}

/** @throws Error when the platform's certificate cannot be used */
export function createPublishing(config: Config, connection: Connection, parts: PublishingParts): Publishing {
  const { stores, hearsOfChanges, cacheStatistics, anonymous, log, clock } = parts;
  const { audit, deploys, projects } = stores;
  const customerDomains = createCustomerDomains(config, connection, { projects, audit, log, clock });
  if (customerDomains === undefined)
    return { sites: undefined, customerDomains: undefined, siteRouting: undefined };
  return {
    sites: createPublishedSites({
      deploys,
      ttlMs: config.keyCache.ttlMs,
      cacheStatistics: cacheStatistics.sites,
    }),
    customerDomains,
    siteRouting: createSiteRouting({
      domains: customerDomains.store,
      projects,
      platformHost: customerDomains.platformHost,
      operatorHost: config.operatorHost,
      graceMs: config.domainGraceMs,
      ttlMs: config.keyCache.ttlMs,
      keyRing: customerDomains.keyRing,
      platformCertificate: customerDomains.platformCertificate,
      isWatching: hearsOfChanges,
      cacheStatistics: cacheStatistics.domains,
      anonymous,
      log,
      clock,
    }),
  };
}

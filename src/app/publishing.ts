import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { createCustomerDomains, type CustomerDomains } from './customer-domains.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { StatisticsByCache } from '../lib/cache-statistics.js';
import { createPublishedSites, type PublishedSites } from '../features/publishing/sites/published-sites.js';
import type { Stores } from './stores.js';
import { createSiteRouting, type SiteRouting } from './site-routing.js';

/** What visitors of sites are served from; each undefined without PLATFORM_HOST. */
export interface Publishing {
  /** What is published. */
  sites: PublishedSites | undefined;
  /** Customers' domains and the platform's hosts. */
  customerDomains: CustomerDomains | undefined;
  /** Which site is served at which host. */
  siteRouting: SiteRouting | undefined;
}

export interface PublishingParts {
  stores: Pick<Stores, 'audit' | 'deploys' | 'projects'>;
  /** Whether changes made elsewhere are heard of at once. */
  hearsOfChanges: () => boolean;
  cacheStatistics: StatisticsByCache;
  log: Logger;
  clock: Clock;
}

/** @throws Error when the platform's certificate cannot be used */
export function createPublishing(
  config: Config,
  connection: Connection,
  { stores: { audit, deploys, projects }, hearsOfChanges, cacheStatistics, log, clock }: PublishingParts,
): Publishing {
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
    siteRouting: createSiteRouting(config, {
      domains: customerDomains.store,
      projects,
      keyRing: customerDomains.keyRing,
      platformCertificate: customerDomains.platformCertificate,
      isWatching: hearsOfChanges,
      cacheStatistics: cacheStatistics.domains,
      log,
      clock,
    }),
  };
}

import type { Connection } from 'mongoose';
import type { AuditStore } from '../features/audit/audit-store.js';
import { createKeyRing, type KeyRing } from '../features/publishing/certificates/key-ring.js';
import {
  readPlatformCertificate,
  type PlatformCertificate,
} from '../features/publishing/certificates/platform-certificate.js';
import type { Config } from '../config/config.js';
import { createDomainJobs, type DomainJobs } from './domain-jobs.js';
import { createDomainsService, type DomainsService } from '../features/publishing/domains/domains-service.js';
import type { DomainsStore } from '../features/publishing/domains/domains-store.js';
import { createMongoDomainsStore } from '../features/publishing/domains/mongo-domains-store.js';
import { createSitesService, type SitesService } from '../features/publishing/domains/sites-service.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { ProjectsStore } from '../features/projects/projects-store.js';
import { siteHost } from '../features/projects/site-address.js';

/** Customers' domains and the platform's hosts, as one part of the services. */
export interface CustomerDomains extends DomainJobs {
  store: DomainsStore;
  service: DomainsService;
  sites: SitesService;
  /** The operator's certificate for the platform's hosts. */
  platformCertificate: PlatformCertificate | undefined;
  /** Undefined without KEY_ENCRYPTION_KEYS. */
  keyRing: KeyRing | undefined;
}

export interface CustomerDomainsParts {
  projects: ProjectsStore;
  audit: AuditStore;
  log: Logger;
  clock: Clock;
}

/**
 * Returns undefined without PLATFORM_HOST: then nothing is published.
 * @throws Error when the platform's certificate cannot be used
 */
export function createCustomerDomains(
  config: Config,
  connection: Connection,
  { projects, audit, log, clock }: CustomerDomainsParts,
): CustomerDomains | undefined {
  const { platformHost, encryptionKeys } = config;
  if (platformHost === undefined) return undefined;
  const store = createMongoDomainsStore(connection);
  const keyRing = encryptionKeys.length === 0 ? undefined : createKeyRing(encryptionKeys);
  const service = createDomainsService({
    domains: store,
    projects,
    platformHost,
    operatorHost: config.operatorHost,
    graceMs: config.domainGraceMs,
    clock,
  });

  const platformCertificate =
    config.platformTls &&
    readPlatformCertificate(config.platformTls, clock, (err) =>
      log.error({ err }, "the platform's certificate cannot be read; the one before stays in use"),
    );
  const areCovered = platformCertificate?.isFor(siteHost('any', platformHost)) === true;
  const siteCertificatesPerWeek = areCovered ? undefined : config.siteCertificatesPerWeek;
  const sites = createSitesService({
    domains: store,
    projects,
    addresses: { ...config, platformHost },
    platformCertificate,
    areCertified: siteCertificatesPerWeek !== undefined,
    clock,
  });

  return {
    store,
    keyRing,
    service,
    sites,
    platformCertificate,
    ...createDomainJobs(config, connection, {
      store,
      projects,
      audit,
      sites,
      siteCertificatesPerWeek,
      platformHost,
      keyRing,
      log,
      clock,
    }),
  };
}

import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { createKeyRing, type KeyRing } from '../features/publishing/certificates/key-ring.js';
import {
  readPlatformCertificate,
  type PlatformCertificate,
} from '../features/publishing/certificates/platform-certificate.js';
import { createDomainsService, type DomainsService } from '../features/publishing/domains/domains-service.js';
import type { DomainsStore } from '../features/publishing/domains/domains-store.js';
import { createMongoDomainsStore } from '../features/publishing/domains/mongo-domains-store.js';
import { createSitesService, type SitesService } from '../features/publishing/domains/sites-service.js';
import type { ProjectsStore } from '../features/projects/projects-store.js';
import { siteHost } from '../features/projects/site-address.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';

/** Customers' domains and the platform's hosts, without the jobs that check DNS and request certificates. */
export interface DomainServices {
  platformHost: string;
  store: DomainsStore;
  service: DomainsService;
  sites: SitesService;
  /** The limit of certificates for sites, or undefined where sites get no certificates of their own. */
  siteCertificatesPerWeek: number | undefined;
  /** The operator's certificate for the platform's hosts. */
  platformCertificate: PlatformCertificate | undefined;
  /** Undefined without KEY_ENCRYPTION_KEYS. */
  keyRing: KeyRing | undefined;
}

export interface DomainServicesParts {
  projects: ProjectsStore;
  log: Logger;
  clock: Clock;
}

/**
 * Returns undefined without PLATFORM_HOST: then nothing is published.
 * @throws Error when the platform's certificate cannot be used
 */
export function createDomainServices(
  config: Config,
  connection: Connection,
  { projects, log, clock }: DomainServicesParts,
): DomainServices | undefined {
  const { platformHost, encryptionKeys } = config;
  if (platformHost === undefined) return undefined;
  const store = createMongoDomainsStore(connection, clock);
  const keyRing = encryptionKeys.length === 0 ? undefined : createKeyRing(encryptionKeys);
  const service = createDomainsService({
    domains: store,
    projects,
    platformHost,
    platformAddresses: config.platformAddresses,
    operatorHost: config.operatorHost,
    graceMs: config.domainGraceMs,
    clock,
  });

  const platformCertificate =
    config.platformTls &&
    readPlatformCertificate(config.platformTls, clock, (err) =>
      log.error({ err }, "Could not read the platform's certificate; the previous one stays in use"),
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
  return { platformHost, store, service, sites, siteCertificatesPerWeek, platformCertificate, keyRing };
}

import type { Connection } from 'mongoose';
import type { AuditStore } from '../features/audit/audit-store.js';
import { accountKeyAt } from '../features/publishing/certificates/mongo-acme-accounts.js';
import { createMongoCertificateBudget } from '../features/publishing/domains/mongo-certificate-budget.js';
import { createMongoFailedValidations } from '../features/publishing/domains/mongo-failed-validations.js';
import { usedKeyIds } from '../features/publishing/domains/mongo-used-keys.js';
import type { Config } from '../config/config.js';
import { transact } from '../platform/mongo/connection.js';
import { createDomainJobs, type DomainJobs } from '../features/publishing/domains/domain-jobs.js';
import { createDomainServices, type DomainServices, type DomainServicesParts } from './domain-services.js';

/** Customers' domains and the platform's hosts, as one part of the services. */
export interface CustomerDomains extends DomainServices, DomainJobs {}

export interface CustomerDomainsParts extends DomainServicesParts {
  audit: AuditStore;
}

/**
 * Returns undefined without PLATFORM_HOST: then nothing is published.
 * @throws Error when the platform's certificate cannot be used
 */
export function createCustomerDomains(
  config: Config,
  connection: Connection,
  parts: CustomerDomainsParts,
): CustomerDomains | undefined {
  const services = createDomainServices(config, connection, parts);
  if (services === undefined) return undefined;
  const { store, sites, platformHost, siteCertificatesPerWeek, keyRing } = services;
  const { projects, audit, log, clock } = parts;
  const jobs = createDomainJobs(
    {
      domains: store,
      projects,
      audit,
      platformHost,
      platformAddresses: config.platformAddresses,
      transact: (run) => transact(connection, run),
      siteBudget:
        siteCertificatesPerWeek === undefined
          ? undefined
          : createMongoCertificateBudget(connection, platformHost, siteCertificatesPerWeek),
      keyRing,
      graceMs: config.domainGraceMs,
      clock,
    },
    {
      authority: config.acme,
      dnsServers: config.dnsServers,
      sites,
      failedValidations: createMongoFailedValidations(connection),
      accountKeyAt: (directoryUrl, ring) => accountKeyAt(directoryUrl, connection, ring),
      usedKeyIds: () => usedKeyIds(connection),
      log,
    },
  );
  return { ...services, ...jobs };
}

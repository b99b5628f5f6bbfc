import type { Connection } from 'mongoose';
import type { AuditStore } from '../features/audit/audit-store.js';
import type { Config } from '../config/config.js';
import { createDomainJobs, type DomainJobs } from './domain-jobs.js';
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
  return services && { ...services, ...createDomainJobs(config, connection, { ...services, ...parts }) };
}

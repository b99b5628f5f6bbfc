import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from 'mongoose';
import { randomBase62 } from '../lib/random-id.js';
import type { AuditStore } from '../features/audit/audit-store.js';
import type { AccountKey } from '../features/publishing/certificates/account-key.js';
import { createAcme } from '../features/publishing/certificates/acme.js';
import { createKeyRing, type KeyRing } from '../features/publishing/certificates/key-ring.js';
import {
  readPlatformCertificate,
  type PlatformCertificate,
} from '../features/publishing/certificates/platform-certificate.js';
import { accountKeyAt } from '../features/publishing/certificates/mongo-acme-accounts.js';
import type { Config } from '../config/config.js';
import type { AdvanceParts } from '../features/publishing/domains/advance-domain.js';
import { createDns } from '../features/publishing/domains/dns/dns.js';
import { publicNamesOf } from '../features/publishing/domains/dns/public-names.js';
import type { Domain } from '../features/publishing/domains/domain.js';
import { createDomainsService, type DomainsService } from '../features/publishing/domains/domains-service.js';
import type { DomainProgress, DomainsStore } from '../features/publishing/domains/domains-store.js';
import { createMongoCertificateBudget } from '../features/publishing/domains/mongo-certificate-budget.js';
import { createMongoFailedValidations } from '../features/publishing/domains/mongo-failed-validations.js';
import { createMongoDomainsStore } from '../features/publishing/domains/mongo-domains-store.js';
import { createSitesService, type SitesService } from '../features/publishing/domains/sites-service.js';
import { startSitesWorker, type SitesWorker } from '../features/publishing/domains/sites-job.js';
import { startDomainsWorker, type DomainsWorker } from '../features/publishing/domains/job.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { transact } from '../platform/mongo/connection.js';
import type { ProjectsStore } from '../features/projects/projects-store.js';
import { siteHost } from '../features/projects/site-address.js';

/** Customers' domains and the platform's hosts, as one part of the services. */
export interface CustomerDomains {
  store: DomainsStore;
  service: DomainsService;
  sites: SitesService;
  /** The operator's, for the platform's hosts. */
  platformCertificate: PlatformCertificate | undefined;
  /** Undefined without KEY_ENCRYPTION_KEYS. */
  keyRing: KeyRing | undefined;
  /** What challenges are answered with; undefined without a certificate authority. */
  accountKey: AccountKey | undefined;
  /** Begins to look at DNS and to ask for certificates: what serves does so, a command does not. */
  startWorker: () => void;
  /** There may be something to do. */
  wake: () => void;
  close: () => Promise<void>;
}

export interface CustomerDomainsParts {
  projects: ProjectsStore;
  audit: AuditStore;
  log: Logger;
  clock: Clock;
}

/** Longer than a step can take: seven requests to an authority, or a dozen to DNS. A killed gateway is missed for so long. */
const LEASE_MS = 90_000;
const ACME_TIMEOUT_MS = 8000;
/** How long the Verify of another process goes unnoticed at most. */
const SLEEP_MS = 2000;

/**
 * Undefined without PLATFORM_HOST: then nothing is published.
 * @throws Error when the platform's certificate cannot be used
 */
export async function createCustomerDomains(
  config: Config,
  connection: Connection,
  { projects, audit, log, clock }: CustomerDomainsParts,
): Promise<CustomerDomains | undefined> {
  const { platformHost, encryptionKeys, acme: authority, dnsServers } = config;
  if (platformHost === undefined) return undefined;
  const store = createMongoDomainsStore(connection);
  const keyRing = encryptionKeys.length === 0 ? undefined : createKeyRing(encryptionKeys);
  const accountKey =
    authority && keyRing && (await accountKeyAt(authority.directoryUrl, connection, keyRing));
  const dns = publicNamesOf(createDns({ servers: dnsServers }), platformHost);
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

  const parts: AdvanceParts = {
    domains: store,
    projects,
    audit,
    dns,
    platformHost,
    transact: (run) => transact(connection, run),
    onStep: (before, after) => logStep(log, before, after),
    onSealed: ({ id: domainId }, { message }) =>
      log.error({ domainId, reason: message }, 'KEY_ENCRYPTION_KEYS is not that of the other gateways'),
    siteBudget:
      siteCertificatesPerWeek === undefined
        ? undefined
        : createMongoCertificateBudget(connection, platformHost, siteCertificatesPerWeek),
    keyRing,
    graceMs: config.domainGraceMs,
    newToken: () => randomBase62(32),
    clock,
    authority:
      authority && keyRing && accountKey
        ? {
            acme: createAcme({
              directoryUrl: authority.directoryUrl,
              account: { key: accountKey, contact: authority.contact },
              ...(authority.caFile !== undefined && { ca: readFileSync(authority.caFile, 'utf8') }),
              now: clock,
              timeoutMs: ACME_TIMEOUT_MS,
            }),
            keyRing,
            dns,
            failedValidations: createMongoFailedValidations(connection),
            profile: authority.profile,
            clock,
            random: Math.random,
            newId: () => `crt_${randomBase62(16)}`,
          }
        : undefined,
  };

  let worker: DomainsWorker | undefined;
  let sitesWorker: SitesWorker | undefined;
  return {
    store,
    keyRing,
    accountKey,
    service,
    sites,
    platformCertificate,
    startWorker() {
      worker ??= startDomainsWorker(parts, { leaseMs: LEASE_MS, sleepMs: SLEEP_MS }, (err, domainId) =>
        log.error({ err, domainId }, 'a step of a domain failed; it is tried again'),
      );
      if (siteCertificatesPerWeek === undefined) return;
      sitesWorker ??= startSitesWorker(
        sites,
        () => worker?.wake(),
        (err) =>
          log.error({ err }, 'could not see whether every site is to have a certificate; it is tried again'),
      );
    },
    wake: () => worker?.wake(),
    async close() {
      await Promise.all([sitesWorker?.close(), worker?.close()]);
    },
  };
}

/** One line for each change that somebody may look for; an order that is looked at again is none. */
function logStep(log: Logger, before: Domain, after: DomainProgress): void {
  const [was, is] = [stateOf(before), stateOf(after)];
  if (isDeepStrictEqual(was, is)) return;
  const { id: domainId, projectId, name: domain } = before;
  const line = { domainId, projectId, domain, ...is, retryAt: after.problem?.retryAt };
  if (is.problem === undefined) log.info(line, 'a domain went on');
  else log.warn(line, 'a domain has a problem');
}

function stateOf({ dns, certificate, problem }: Pick<DomainProgress, 'dns' | 'certificate' | 'problem'>) {
  return {
    dns: dns.state,
    certificate: certificate.state,
    issuance: certificate.issuance?.state,
    serialNumber: certificate.current?.serialNumber,
    problem: problem?.code,
  };
}

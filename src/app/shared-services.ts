import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { createAdministration } from '../features/administration/administration.js';
import { createRemovals } from '../features/administration/removals.js';
import { createRemoveProject } from '../features/administration/remove-project.js';
import { createMongoAuditStore } from '../features/audit/mongo-audit-store.js';
import { createApiKeysService } from '../features/keys/api-keys-service.js';
import type { RecordChange } from '../features/keys/record-change.js';
import { createAuthenticator } from '../features/keys/authenticator.js';
import { createCallerChecks } from '../features/keys/caller-checks.js';
import type { KeyCache } from '../features/keys/key-cache.js';
import { createMongoApiKeysStore } from '../features/keys/mongo-api-keys-store.js';
import { createMongoSessionsStore } from '../features/keys/sessions/mongo-sessions-store.js';
import { createMongoSignInLinksStore } from '../features/keys/sessions/mongo-sign-in-links-store.js';
import { createSessionsService } from '../features/keys/sessions/sessions-service.js';
import { createQuotaLimiter } from '../features/limiter/quota-limiter.js';
import { createMongoIdempotencyStore } from '../features/pets/idempotency/mongo-idempotency-store.js';
import { createMongoPetsImportsStore } from '../features/synchronization/mongo-pets-imports-store.js';
import { createPetsImports } from '../features/synchronization/pets-imports.js';
import { createMongoPetsStore } from '../features/pets/mongo-pets-store.js';
import { createPetsService } from '../features/pets/pets-service.js';
import type { Counted } from '../features/plans/window.js';
import { createMongoProjectRemovals } from '../features/projects/mongo-project-removals.js';
import { createMongoProjectsStore } from '../features/projects/mongo-projects-store.js';
import { createProjectsService } from '../features/projects/projects-service.js';
import { siteHost, siteOriginOf } from '../features/projects/site-address.js';
import { createKeyRing } from '../features/publishing/certificates/key-ring.js';
import { readPlatformCertificate } from '../features/publishing/certificates/platform-certificate.js';
import { createDeploysService } from '../features/publishing/deploys/deploys-service.js';
import { createMongoDeploysStore } from '../features/publishing/deploys/mongo-deploys-store.js';
import { noDomainStatistics } from '../features/publishing/domains/domain-statistics.js';
import { obstaclesTo } from '../features/publishing/domains/domain-obstacles.js';
import type { Domain } from '../features/publishing/domains/domain.js';
import type { Project } from '../features/projects/project.js';
import { createDomainsService } from '../features/publishing/domains/domains-service.js';
import { createMongoDomainStatistics } from '../features/publishing/domains/mongo-domain-statistics.js';
import {
  createMongoDomainsStore,
  removeDomainsOf,
} from '../features/publishing/domains/mongo-domains-store.js';
import { createPlatformHosts } from '../features/publishing/domains/platform-hosts.js';
import { createStorefront } from '../features/publishing/storefront/storefront.js';
import { createKeyQuotas } from '../features/quotas/key-quotas.js';
import { createMongoStrikesStore } from '../features/quotas/mongo-strikes-store.js';
import { createMongoTrafficStore } from '../features/usage/mongo-traffic-store.js';
import { createMongoUsageStore } from '../features/usage/mongo-usage-store.js';
import { USAGE_WRITTEN_WITHIN_MS } from '../features/usage/recorder.js';
import { createUsageService } from '../features/usage/usage-service.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Instruments } from '../observability/metrics/instruments.js';
import { timed } from '../observability/metrics/timed.js';
import type { Tracing } from '../observability/tracing/tracing.js';
import { transact } from '../platform/mongo/connection.js';
import { quotaStoreOf } from './quota-stores.js';

/** The dependencies that differ: commands cache, count and trace nothing, and have no other processes. */
export interface Dependencies {
  keyCache: KeyCache;
  /** Evicts the cached entries of this process that the change affects. */
  evictHere: (change: RecordChange) => void;
  /** Does the same in all processes of the gateway. Resolves when all have done so, or after 250 ms. */
  evictEverywhere: (change: RecordChange) => Promise<void>;
  /** Makes the domain jobs of this process look for work. */
  wakeDomains: () => void;
  metrics: Pick<Instruments, 'timeStore' | 'timeDecision'>;
  tracing: Pick<Tracing, 'keys' | 'limiter'>;
  quotaStore: OpenedQuotaStore;
}

export type SharedServices = ReturnType<typeof createSharedServices>;
type OpenedQuotaStore = Awaited<ReturnType<typeof openQuotaStore>>;

/**
 * Creates what the gateway and the command line both use. Loads no interface and starts nothing, so that a command takes
 * little more time than its database.
 * @throws Error when the platform's certificate cannot be used
 */
export function createSharedServices(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
  { keyCache, evictHere, evictEverywhere, wakeDomains, metrics, tracing, quotaStore }: Dependencies,
) {
  const { environment, adminRequestsPerMinute } = config;
  const stores = createStores(config, connection, metrics, clock);
  const customerDomains = createCustomerDomains(config, connection, stores, log, clock);

  const limiter = tracing.limiter(quotaStore.limiter);
  const keyQuotas = createKeyQuotas({
    limiter,
    isStoreDown: () => limiter.state().down,
    projects: stores.projects,
    strikes: stores.strikes,
    banPolicy: config.ban,
    adminRequestsPerMinute,
    clock,
  });
  const authenticator = createAuthenticator(
    tracing.keys(stores.apiKeys),
    keyCache,
    { environment, adminRequestsPerMinute, adminSecret: config.adminApiKey },
    clock,
  );
  const callerChecks = createCallerChecks({
    authenticator,
    keys: stores.apiKeys,
    sessions: stores.sessions,
    projects: stores.projects,
    clock,
  });
  const apiKeys = createApiKeysService({
    keys: stores.apiKeys,
    projects: stores.projects,
    environment,
    evictHere,
    clock,
  });
  const sessions = createSessionsService({
    sessions: stores.sessions,
    links: stores.signInLinks,
    authenticator,
    apiKeys,
    projects: stores.projects,
    callerChecks,
    audit: stores.audit,
    transact: (run) => transact(connection, run),
    clock,
  });
  const projects = createProjectsService(stores.projects, stores.apiKeys, evictHere, clock);
  const templates = {
    storefront: createStorefront({
      apiKeys,
      authenticator,
      administration: (changer) => administration(changer),
      deploys: stores.deploys,
      originOf: (project) => siteOriginOf(project, config, true),
    }),
  };
  const deploys = createDeploysService(
    stores.deploys,
    (template, project, by) => templates[template](project, by),
    clock,
  );
  const removals = createRemovals({
    removals: createMongoProjectRemovals(connection),
    removeProject: createRemoveProject({
      removeDomains: (projectId) => removeDomainsOf(connection, projectId),
      deploys: stores.deploys,
      keys: stores.apiKeys,
      sessions: stores.sessions,
      strikes: stores.strikes,
      removeCounters: quotaStore.forget,
      petsImports: stores.petsImports,
      pets: stores.pets,
      idempotency: stores.idempotency,
      usage: stores.usage,
      clock,
    }),
    onError: (err) =>
      log.warn({ err }, 'Could not remove the data of a deleted project; the gateway will retry'),
    clock,
  });
  // Without the layers that `services.ts` adds: an audited change runs in a transaction, and what it stores must not
  // leave in one command with what others store.
  const plainPets = createPetsService(stores.pets, clock);
  const administration = createAdministration({
    callerChecks,
    projects,
    apiKeys,
    keyQuotas,
    pets: plainPets,
    deploys,
    domains: customerDomains?.service,
    audit: stores.audit,
    transact: (run) => transact(connection, run),
    async onCommitted(change) {
      wakeDomains();
      if ('projectId' in change) removals.wake();
      await evictEverywhere(change);
    },
    onLive: async (projectId) => customerDomains?.platformHosts.certify(projectId),
    onLeftOver: (err) => log.warn({ err }, 'Could not remove old deploys'),
    clock,
  });

  const petsImports = createPetsImports({
    imports: stores.petsImports,
    pets: stores.pets,
    projects,
    audit: stores.audit,
    callerChecks,
    transact: (run) => transact(connection, run),
    onError: (err) => log.warn({ err }, 'Could not apply an import of pets; a gateway will retry'),
    clock,
  });

  return {
    /** For callers of the gateway's services and of the commands' services. */
    services: {
      config,
      projects,
      deploys,
      apiKeys,
      authenticator,
      callerChecks,
      sessions,
      keyQuotas,
      usage: createUsageService(stores.usage, USAGE_WRITTEN_WITHIN_MS, clock),
      audit: stores.audit,
      /** Makes changes in the name of a caller, each with an audit record. */
      administration,
      /** Synchronizes the animals of projects with files. */
      petsImports,
      /** Removes deleted projects. */
      removals,
      /** Undefined without PLATFORM_HOST. */
      customerDomains,
    },
    plainPets,
    stores,
    limiter,
  };
}

/** The stores in MongoDB, each behind its contract. */
function createStores(
  { ban, deploysKept, domainGraceMs, platformHost }: Config,
  connection: Connection,
  { timeStore }: Pick<Instruments, 'timeStore'>,
  clock: Clock,
) {
  return {
    apiKeys: timed(createMongoApiKeysStore(connection, clock), timeStore('keys')),
    audit: createMongoAuditStore(connection),
    deploys: createMongoDeploysStore(connection, { kept: deploysKept }, clock),
    domainStatistics:
      platformHost === undefined
        ? noDomainStatistics
        : createMongoDomainStatistics(connection, { graceMs: domainGraceMs }),
    idempotency: createMongoIdempotencyStore(connection, clock),
    pets: timed(createMongoPetsStore(connection), timeStore('pets')),
    petsImports: createMongoPetsImportsStore(connection),
    projects: createMongoProjectsStore(connection),
    sessions: createMongoSessionsStore(connection, clock),
    signInLinks: createMongoSignInLinksStore(connection),
    strikes: createMongoStrikesStore(connection, ban),
    traffic: createMongoTrafficStore(connection),
    usage: createMongoUsageStore(connection),
  };
}

/**
 * Opens the quota store for what `create` creates, and closes it again if that fails.
 * @param storeTime the clock of the quota store; tests pass their own
 * @throws ConfigError if the settings name a store that cannot count; errors of `create`
 */
export async function withQuotaStore<T>(
  config: Config,
  connection: Connection,
  metrics: Dependencies['metrics'],
  log: Logger,
  clock: Clock,
  storeTime: Clock | undefined,
  create: (quotaStore: OpenedQuotaStore) => T,
): Promise<T> {
  const quotaStore = await openQuotaStore(config, connection, metrics, log, clock, storeTime);
  try {
    return create(quotaStore);
  } catch (error) {
    await quotaStore.close();
    throw error;
  }
}

/** The limiter on the store that the settings choose. */
async function openQuotaStore(
  config: Config,
  connection: Connection,
  metrics: Pick<Instruments, 'timeStore' | 'timeDecision'>,
  log: Logger,
  clock: Clock,
  storeTime?: Clock,
) {
  const { name, canLoseCounts, open } = quotaStoreOf(config);
  const opened = await open(connection, log, storeTime);
  const store = timed(opened.store, metrics.timeStore(`quota_${name}`));
  const shares = config.quotaNodes * config.workers;
  const { limiter, check, close } = createQuotaLimiter(
    { name, store, canLoseCounts },
    shares,
    log,
    clock,
    storeTime,
  );
  return {
    limiter: timed(limiter, metrics.timeDecision),
    check,
    /** Removes the counters of deleted keys. @throws QuotaStoreError */
    forget: (keys: readonly Counted[]) => store.remove(keys),
    async close() {
      await close();
      await opened.close();
    },
  };
}

/**
 * Customers' domains and the platform's hosts, without the jobs that check DNS and request certificates. Returns
 * undefined without PLATFORM_HOST: then nothing is published.
 */
function createCustomerDomains(
  config: Config,
  connection: Connection,
  { projects }: Pick<ReturnType<typeof createStores>, 'projects'>,
  log: Logger,
  clock: Clock,
) {
  const { platformHost, encryptionKeys } = config;
  if (platformHost === undefined) return undefined;
  const store = createMongoDomainsStore(connection, clock);
  const platformCertificate =
    config.platformTls &&
    readPlatformCertificate(config.platformTls, clock, (err) =>
      log.error({ err }, "Could not read the platform's certificate; the previous one stays in use"),
    );
  const areCovered = platformCertificate?.isFor(siteHost('any', platformHost)) === true;
  const siteCertificatesPerWeek = areCovered ? undefined : config.siteCertificatesPerWeek;
  return {
    platformHost,
    store,
    service: createDomainsService({
      domains: store,
      projects,
      platformHost,
      platformAddresses: config.platformAddresses,
      operatorHost: config.operatorHost,
      graceMs: config.domainGraceMs,
      clock,
    }),
    platformHosts: createPlatformHosts({
      domains: store,
      projects,
      addresses: { ...config, platformHost },
      platformCertificate,
      areCertified: siteCertificatesPerWeek !== undefined,
      clock,
    }),
    /** Why new domains will not be served. Looks up DNS records, for a few seconds at most if DNS does not answer. */
    obstaclesTo: (added: readonly Domain[], project: Project) =>
      obstaclesTo(added, project, { ...config, platformHost }),
    /** The limit of certificates for sites, or undefined where sites get no certificates of their own. */
    siteCertificatesPerWeek,
    /** The operator's certificate for the platform's hosts. */
    platformCertificate,
    /** Undefined without KEY_ENCRYPTION_KEYS. */
    keyRing: encryptionKeys.length === 0 ? undefined : createKeyRing(encryptionKeys),
  };
}

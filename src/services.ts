import type { Connection } from 'mongoose';
import { createApiKeysService, type ApiKeysService } from './api-keys/api-keys-service.js';
import type { ApiKeysStore, KeyChange } from './api-keys/api-keys-store.js';
import { createAuthenticator, type Authenticator } from './api-keys/authenticator.js';
import { createKeyCache } from './api-keys/key-cache.js';
import { createKeyUses, KEY_USE_INTERVAL_MS, type KeyUses } from './api-keys/key-uses.js';
import { createMongoApiKeysStore } from './api-keys/mongo-api-keys-store.js';
import { randomBase62 } from './api-keys/secret.js';
import { createAdministration, type Administration } from './administration/administration.js';
import { createRemovals, type Removals } from './administration/removals.js';
import { createRemoveProject } from './administration/remove-project.js';
import type { Actor } from './audit/audit-record.js';
import type { AuditStore } from './audit/audit-store.js';
import { createMongoAuditStore } from './audit/mongo-audit-store.js';
import { createClientLimits, type ClientLimits } from './client-limits.js';
import type { Config } from './config.js';
import { createDeploysService, type DeploysService } from './deploys/deploys-service.js';
import type { DeploysStore } from './deploys/deploys-store.js';
import { createMongoDeploysStore } from './deploys/mongo-deploys-store.js';
import { createCustomerDomains, type CustomerDomains } from './customer-domains.js';
import { noDomainStatistics } from './domains/domain-statistics.js';
import { removeDomainsOf } from './domains/mongo-domains-store.js';
import { createMongoDomainStatistics } from './domains/mongo-domain-statistics.js';
import type { Clock } from './lib/clock.js';
import type { Logger } from './lib/logger.js';
import { createLookups, type LookupsByCache } from './lib/lookups.js';
import { registerDomainGauges } from './metrics/domain-gauges.js';
import { registerGauges } from './metrics/gauges.js';
import { createMetrics, type Metrics } from './metrics/metrics.js';
import { timed } from './metrics/timed.js';
import { wantedDatabase } from './migrations/wanted-database.js';
import { transact } from './mongo/connection.js';
import { checkReadiness } from './mongo/readiness.js';
import { watchKeys } from './mongo/watch-keys.js';
import { createPetOnce, type CreatePetOnce } from './idempotency/create-pet-once.js';
import { createMongoIdempotencyStore } from './idempotency/mongo-idempotency-store.js';
import type { ImportsStore } from './imports/imports-store.js';
import { createMongoImportsStore } from './imports/mongo-imports-store.js';
import { renderPet } from './rest/render-pet.js';
import { withCoalescedReads } from './pets/coalesced-reads.js';
import { withGroupCommit } from './pets/group-commit.js';
import { withLeasedIds } from './pets/leased-ids.js';
import { createInFlightLimit, type InFlightLimit } from './load/in-flight-limit.js';
import { createMongoPetsStore } from './pets/mongo-pets-store.js';
import { createPetsService, type PetsService } from './pets/pets-service.js';
import type { PetsStore } from './pets/pets-store.js';
import { createMongoProjectRemovals } from './projects/mongo-project-removals.js';
import { createMongoProjectsStore } from './projects/mongo-projects-store.js';
import { createProjectsService, type ProjectsService } from './projects/projects-service.js';
import { siteOriginOf } from './projects/site-address.js';
import { createMongoSessionsStore } from './sessions/mongo-sessions-store.js';
import { createSessionsService, type SessionsService } from './sessions/sessions-service.js';
import { createStorefront } from './sites/storefront.js';
import { createPublishedSites, type PublishedSites } from './sites/published-sites.js';
import { NO_PEERS, type Peers } from './peers.js';
import { createQuotaLimiter } from './quota-limiter.js';
import { createKeyQuotas, type KeyQuotas } from './quotas/key-quotas.js';
import { createMongoStrikesStore } from './quotas/mongo-strikes-store.js';
import type { OutageState } from './quotas/outage-limiter.js';
import { createQuotasService, type QuotasService } from './quotas/quotas-service.js';
import { createMongoRecordCounts } from './system/mongo-record-counts.js';
import type { Readiness } from './system/readiness.js';
import { createSystemStatus, type SystemStatus } from './system/system-health.js';
import { createMongoUsageStore } from './usage/mongo-usage-store.js';
import { createUsageCounters, USAGE_INTERVAL_MS, type UsageCounters } from './usage/usage-counters.js';
import { createUsageService, type UsageService } from './usage/usage-service.js';
import { NO_TRACING, type Tracing } from './tracing/tracing.js';
import { VERSION } from './version.js';
import type { Operations } from './versioning/operation.js';
import { OPERATIONS } from './versioning/operations.js';
import { createVisitors, type Visitors } from './visitors.js';

/** Everything the two doors and the command line work with, built once. */
export interface Services extends ClientLimits {
  config: Config;
  clock: Clock;
  log: Logger;
  /** Since when, how stable and until when each operation of both doors is. */
  operations: Operations;
  pets: PetsService;
  petsStore: PetsStore;
  createPetOnce: CreatePetOnce;
  imports: ImportsStore;
  projects: ProjectsService;
  deploys: DeploysService;
  deploysStore: DeploysStore;
  /** Customers' domains and the platform's hosts; undefined without PLATFORM_HOST. */
  customerDomains: CustomerDomains | undefined;
  apiKeys: ApiKeysService;
  apiKeysStore: ApiKeysStore;
  /** Changes in somebody's name, each with its audit record. */
  administration: (actor: Actor) => Administration;
  /** The end of deleted projects. */
  removals: Removals;
  audit: AuditStore;
  authenticator: Authenticator;
  keyUses: KeyUses;
  quotas: QuotasService;
  keyQuotas: KeyQuotas;
  sessions: SessionsService;
  /** Whether local limits are in force, and how often they were. */
  quotaOutages: () => Readonly<OutageState>;
  /** How many requests are let in, and how often some were turned away. */
  load: InFlightLimit;
  /** What is published; undefined without PLATFORM_HOST. */
  sites: PublishedSites | undefined;
  /** Who is served where; undefined without PLATFORM_HOST. */
  visitors: Visitors | undefined;
  readiness: () => Promise<Readiness>;
  /** How often caches had what they were asked for. */
  lookups: LookupsByCache;
  metrics: Metrics;
  tracing: Tracing;
  usage: UsageService;
  usageCounters: UsageCounters;
  /** How the gateway is, for those who operate it. */
  system: SystemStatus;
  /**
   * Writes what is batched, unless the database is lost, and ends what runs beside requests. The connection stays
   * open: whoever made it ends it.
   */
  close: (how?: { databaseLost: boolean }) => Promise<void>;
}

/**
 * The composition root: plain factories, each given what it needs, over a database that `prepareDatabase` has made
 * ready for them.
 */
export async function createServices(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
  peers: Peers = NO_PEERS,
  tracing: Tracing = NO_TRACING,
): Promise<Services> {
  tracing.mongo(connection.getClient());
  const metrics = createMetrics((own) => peers.gather(own));
  const lookups = createLookups();
  const onError = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const wanted = wantedDatabase(config);

  const storedPets = timed(createMongoPetsStore(connection), metrics.timeStore('pets'));
  const idempotency = createMongoIdempotencyStore(connection, clock);
  const projectsStore = createMongoProjectsStore(connection);
  const apiKeysStore = timed(createMongoApiKeysStore(connection, clock), metrics.timeStore('keys'));
  const audit = createMongoAuditStore(connection);
  const strikes = createMongoStrikesStore(connection, config.ban);
  const deploysStore = createMongoDeploysStore(connection, { kept: config.deploysKept }, clock);
  const sessionsStore = createMongoSessionsStore(connection);

  // What makes the store of pets fast under load. Each keeps its contract and can be left out.
  const petsStore = [withLeasedIds, withGroupCommit, withCoalescedReads, tracing.pets].reduce(
    (store, layer) => layer(store, clock),
    storedPets,
  );

  const quotaStore = await createQuotaLimiter(config, connection, metrics, log, clock);

  const cache = createKeyCache(config.keyCache, lookups.keys);
  const sites =
    config.platformHost === undefined
      ? undefined
      : createPublishedSites({
          deploys: deploysStore,
          ttlMs: config.keyCache.ttlMs,
          lookups: lookups.sites,
        });
  const customerDomains = await createCustomerDomains(config, connection, {
    projects: projectsStore,
    audit,
    log,
    clock,
  });
  const visitors =
    customerDomains &&
    createVisitors(config, {
      domains: customerDomains.store,
      projects: projectsStore,
      keyRing: customerDomains.keyRing,
      platformCertificate: customerDomains.platformCertificate,
      isWatching: () => watch.healthy(),
      lookups: lookups.domains,
      log,
      clock,
    });
  const changed = (change: KeyChange) => {
    cache.evict(change);
    sites?.evict(change);
    visitors?.live.evict(change);
  };
  const changedForAll = (change: KeyChange) => {
    changed(change);
    return peers.tell({ about: 'key', change });
  };
  const watch = watchKeys(connection, {
    onChange: changed,
    onDomain: (domainId) => visitors?.live.evict({ domainId }),
    onBegin() {
      cache.clear();
      sites?.clear();
      visitors?.live.clear();
    },
    onError: onError(
      'the change stream of API keys broke; changes elsewhere are seen when cached keys expire',
    ),
  });

  const limiter = tracing.limiter(quotaStore.limiter);
  const keyQuotas = createKeyQuotas(limiter, projectsStore, config.adminRequestsPerMinute, clock);
  const projects = createProjectsService(projectsStore, apiKeysStore, changed, clock);
  const apiKeys = createApiKeysService({
    keys: apiKeysStore,
    projects: projectsStore,
    environment: config.environment,
    changed,
    clock,
  });
  const authenticator = createAuthenticator(
    tracing.keys(apiKeysStore),
    cache,
    {
      environment: config.environment,
      adminRequestsPerMinute: config.adminRequestsPerMinute,
      adminSecret: config.adminApiKey,
    },
    clock,
  );
  const templates = {
    storefront: createStorefront({
      apiKeys,
      administration: (actor) => administration(actor),
      authenticator,
      deploys: deploysStore,
      originOf: (project) => siteOriginOf(project, config, true),
    }),
  };
  const deploys = createDeploysService(
    deploysStore,
    (template, project, by) => templates[template](project, by),
    clock,
  );
  const administration = createAdministration({
    projects,
    apiKeys,
    keyQuotas,
    deploys,
    domains: customerDomains?.service,
    audit,
    transact: (run) => transact(connection, run),
    async changed(change) {
      customerDomains?.wake();
      if ('projectId' in change) removals.wake();
      await changedForAll(change);
    },
    onLive: async (projectId) => customerDomains?.sites.certify(projectId),
    onLeftOver: onError('could not remove old deploys'),
    clock,
  });
  const keyUses = createKeyUses(
    apiKeysStore,
    KEY_USE_INTERVAL_MS,
    onError('could not write when keys were used'),
  );

  const usageStore = createMongoUsageStore(connection);
  const usageCounters = createUsageCounters({
    store: usageStore,
    writer: randomBase62(8),
    intervalMs: USAGE_INTERVAL_MS,
    onError: onError('could not write usage; it is tried again'),
    onLost: (requests) =>
      log.warn({ requests }, 'requests of too many keys waited to be counted; these are not'),
  });

  const removals = createRemovals({
    removals: createMongoProjectRemovals(connection),
    removeProject: createRemoveProject({
      removeDomains: (projectId) => removeDomainsOf(connection, projectId),
      deploys: deploysStore,
      keys: apiKeysStore,
      sessions: sessionsStore,
      strikes,
      removeCounters: (keys) => quotaStore.forget(keys),
      idempotency,
      usage: usageStore,
      clock,
    }),
    removeUnlistedBlobs: () => deploysStore.removeUnlistedBlobs(),
    onError: onError('could not remove what a deleted project had; it is tried again'),
    clock,
  });

  const load = createInFlightLimit({
    ...config.load,
    onOverload: (reason, { inFlight, limit, eventLoopDelayMs }) =>
      log.warn({ reason, inFlight, limit, eventLoopDelayMs }, 'overloaded: some requests are answered 503'),
    onRecovery: ({ overloads, shed }) => log.info({ overloads, shed }, 'no longer overloaded'),
  });

  const clientLimits = createClientLimits(config, peers, clock);
  peers.listen((news) => {
    if (news.about === 'key') changed(news.change);
    else clientLimits.count(news);
  });

  async function readiness(): Promise<Readiness> {
    const [mongo, quotas] = await Promise.all([
      checkReadiness(connection, wanted, () => watch.healthy()),
      quotaStore.check(),
    ]);
    return { ...mongo, checks: { ...mongo.checks, quotaStore: quotas } };
  }

  const domains =
    config.platformHost === undefined
      ? noDomainStatistics
      : createMongoDomainStatistics(connection, { graceMs: config.domainGraceMs });
  registerGauges(metrics.ofProcess, {
    version: VERSION,
    lookups,
    load: () => load.state(),
    outages: () => limiter.state(),
    hearsOfChanges: () => watch.healthy(),
    readiness,
    clock,
  });
  registerDomainGauges(metrics.ofDatabase, { domains, clock });

  return {
    config,
    clock,
    log,
    petsStore,
    operations: OPERATIONS,
    pets: createPetsService(petsStore),
    createPetOnce: createPetOnce(petsStore, idempotency, renderPet, clock),
    imports: createMongoImportsStore(connection, storedPets),
    projects,
    deploys,
    deploysStore,
    customerDomains,
    apiKeys,
    apiKeysStore,
    administration,
    removals,
    audit,
    authenticator,
    keyUses,
    quotas: createQuotasService({
      limiter,
      strikes,
      keys: apiKeysStore,
      banPolicy: config.ban,
      changed: (change) => void changedForAll(change),
      onBan(key) {
        usageCounters.countBan(key, clock());
        metrics.countBan();
      },
      clock,
      onError: onError('could not record a strike'),
    }),
    keyQuotas,
    ...clientLimits.limits,
    sessions: createSessionsService({
      sessions: sessionsStore,
      authenticator,
      audit,
      transact: (run) => transact(connection, run),
      clock,
    }),
    quotaOutages: () => limiter.state(),
    load,
    sites,
    visitors,
    readiness,
    lookups,
    metrics,
    tracing,
    usage: createUsageService(usageStore, USAGE_INTERVAL_MS, clock),
    usageCounters,
    system: createSystemStatus({
      version: VERSION,
      readiness,
      isQuotaStoreDown: () => limiter.state().down,
      ...createMongoRecordCounts(connection),
      domains,
      clock,
    }),
    async close({ databaseLost } = { databaseLost: false }) {
      load.close();
      if (databaseLost) for (const batched of [keyUses, usageCounters]) batched.abandon();
      else await Promise.all([keyUses.close(), usageCounters.close()]);
      await removals.close();
      await Promise.all([watch.close(), quotaStore.close(), customerDomains?.close()]);
    },
  };
}

import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { RecordChange } from '../features/keys/record-change.js';
import { createKeyCache } from '../features/keys/key-cache.js';
import { FAILED_SIGN_INS_PER_MINUTE } from '../features/keys/sessions/session.js';
import { createClientLimiter, type ClientLimiter } from '../features/limiter/client-limiter.js';
import { withBroadcast } from '../features/limiter/shared-client-limiter.js';
import { withCoalescedReads } from '../features/pets/coalesced-reads.js';
import { withGroupCommit } from '../features/pets/group-commit.js';
import { createChangePetOnce } from '../features/pets/idempotency/change-pet-once.js';
import { createCreatePetOnce } from '../features/pets/idempotency/create-pet-once.js';
import { withLeasedIds } from '../features/pets/leased-ids.js';
import { createPetsOfCaller } from '../features/administration/pets-of-caller.js';
import { createPetsService } from '../features/pets/pets-service.js';
import { accountKeyAt } from '../features/publishing/certificates/mongo-acme-accounts.js';
import { createDomainJobs } from '../features/publishing/domains/domain-jobs.js';
import { createMongoCertificateBudget } from '../features/publishing/domains/mongo-certificate-budget.js';
import { createMongoFailedValidations } from '../features/publishing/domains/mongo-failed-validations.js';
import { usedKeyIds } from '../features/publishing/domains/mongo-used-keys.js';
import { createPublishedSites } from '../features/publishing/sites/published-sites.js';
import { createSiteRouting } from '../features/publishing/sites/site-routing.js';
import { createQuotasService } from '../features/quotas/quotas-service.js';
import { LOCAL_BUS, type Bus, type SharedLimit } from '../features/system/bus.js';
import { followChanges, type ChangeFeed } from '../features/system/mongo-change-feed.js';
import { checkReadiness } from '../features/system/mongo-readiness.js';
import { createMongoRecordCounts } from '../features/system/mongo-record-counts.js';
import { createMongoSharedReadings } from '../features/system/mongo-shared-readings.js';
import { createReadiness } from '../features/system/readiness.js';
import { createSystemStatus } from '../features/system/system-health.js';
import { createRecorder, WRITE_INTERVAL_MS } from '../features/usage/recorder.js';
import { createTrafficService } from '../features/usage/traffic-service.js';
import { createInFlightLimit } from '../http/load/in-flight-limit.js';
import { OPERATIONS, type Operations } from '../http/versioning/operations.js';
import { createCacheStatistics } from '../lib/cache-statistics.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { VERSION } from '../lib/version.js';
import { registerDomainGauges } from '../observability/metrics/domain-gauges.js';
import { registerGauges } from '../observability/metrics/gauges.js';
import { createMetrics } from '../observability/metrics/metrics.js';
import { NO_TRACING, type Tracing } from '../observability/tracing/tracing.js';
import { transact } from '../platform/mongo/connection.js';
import { wantedDatabase } from './migrations/wanted-database.js';
import {
  createSharedServices,
  withQuotaStore,
  type Dependencies,
  type SharedServices,
} from './shared-services.js';

/** All services that the interfaces use, created once. */
export type Services = Awaited<ReturnType<typeof createServices>>;
/** Customers' domains and the platform's hosts, with their jobs. */
export type CustomerDomains = NonNullable<Services['customerDomains']>;

/**
 * The composition root of a gateway: plain factories that receive their dependencies. The database must be prepared
 * (`prepareDatabase`). Starts no background jobs: see `jobs`.
 * @param storeTime the clock of the quota store; tests pass their own
 * @throws ConfigError if the settings name a quota store that cannot count; Error when the platform's certificate cannot
 * be used
 */
export async function createServices(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
  bus: Bus = LOCAL_BUS,
  tracing: Tracing = NO_TRACING,
  storeTime?: Clock,
) {
  tracing.mongo(connection.getClient());
  const metrics = createMetrics((own) => bus.gather(own));
  return withQuotaStore(config, connection, metrics, log, clock, storeTime, (quotaStore) =>
    createServicesOn({ quotaStore, metrics, config, connection, log, clock, bus, tracing }),
  );
}

interface Given {
  quotaStore: Dependencies['quotaStore'];
  metrics: ReturnType<typeof createMetrics>;
  config: Config;
  connection: Connection;
  log: Logger;
  clock: Clock;
  bus: Bus;
  tracing: Tracing;
}

function createServicesOn({ quotaStore, metrics, config, connection, log, clock, bus, tracing }: Given) {
  const cacheStatistics = createCacheStatistics();
  let feed: ChangeFeed | undefined;
  const hearsOfChanges = () => feed?.healthy() ?? false;
  const keyCache = createKeyCache(
    config.keyCache,
    cacheStatistics.keys,
    () => feed?.heardUpToMs() ?? -Infinity,
  );

  // `evictHere`, `evictEverywhere` and `wakeDomains` use parts that are created further down. Nobody calls them before.
  function evictHere(change: RecordChange): void {
    keyCache.evict(change);
    sites?.evict(change);
    siteRouting?.live.evict(change);
  }

  function evictEverywhere(change: RecordChange): Promise<void> {
    evictHere(change);
    return bus.broadcast({ about: 'record', change });
  }

  const { services, stores, limiter } = createSharedServices(config, connection, log, clock, {
    quotaStore,
    keyCache,
    evictHere,
    evictEverywhere,
    wakeDomains() {
      customerDomains?.wake();
    },
    metrics,
    tracing,
  });

  const ownLimits = createClientLimits(config, clock);
  const limitOf = (about: SharedLimit) =>
    withBroadcast(ownLimits[about], (client, cost) => bus.post({ about, client, cost }));
  const anonymous = limitOf('anonymous');

  const customerDomains = createDomainsWithJobs(
    config,
    connection,
    services.customerDomains,
    stores,
    log,
    clock,
  );
  const sites =
    customerDomains &&
    createPublishedSites({
      deploys: stores.deploys,
      ttlMs: config.keyCache.ttlMs,
      cacheStatistics: cacheStatistics.sites,
    });
  const siteRouting =
    customerDomains &&
    createSiteRouting({
      domains: customerDomains.store,
      projects: stores.projects,
      platformHost: customerDomains.platformHost,
      operatorHost: config.operatorHost,
      keyRing: customerDomains.keyRing,
      platformCertificate: customerDomains.platformCertificate,
      graceMs: config.domainGraceMs,
      ttlMs: config.keyCache.ttlMs,
      isWatching: hearsOfChanges,
      cacheStatistics: cacheStatistics.domains,
      anonymous,
      log,
      clock,
    });

  const recorder = createRecorder(stores, log);
  const quotas = createQuotasService({
    limiter,
    isStoreDown: () => limiter.state().down,
    strikes: stores.strikes,
    keys: stores.apiKeys,
    banPolicy: config.ban,
    evictEverywhere: (change) => void evictEverywhere(change),
    onBan(key) {
      recorder.countBan(key, clock());
      metrics.countBan();
    },
    clock,
    onError: (err) => log.warn({ err }, 'Could not record a strike'),
  });

  // Layers that make the pet store fast under load. Each keeps the store's contract and can be left out.
  const petsStore = [withLeasedIds, withGroupCommit, withCoalescedReads, tracing.pets].reduce(
    (store, layer) => layer(store, clock),
    stores.pets,
  );

  const load = createInFlightLimit({
    ...config.load,
    onOverload: (reason, { inFlight, limit, eventLoopDelayMs }) =>
      log.warn({ reason, inFlight, limit, eventLoopDelayMs }, 'Overloaded; rejecting some requests with 503'),
    onRecovery: ({ overloads, shed }) => log.info({ overloads, shed }, 'No longer overloaded'),
  });
  const quotaOutages = () => limiter.state();
  const wanted = wantedDatabase(config);
  const { ownReadiness, readiness, publicReadiness } = createReadiness(
    () => checkReadiness(connection, wanted, hearsOfChanges),
    quotaStore.check,
    () => load.state(),
  );
  registerGauges(metrics.ofProcess, {
    version: VERSION,
    cacheStatistics,
    load: () => load.state(),
    outages: quotaOutages,
    hearsOfChanges,
    readiness: ownReadiness,
    clock,
  });
  registerDomainGauges(metrics.ofDatabase, {
    domains: stores.domainStatistics,
    readings: createMongoSharedReadings(connection),
    clock,
  });

  /** A gateway starts the background jobs; commands do not. */
  const jobs = {
    /**
     * Starts the jobs that each process needs for itself. Call it before the first request. The jobs follow changes made
     * elsewhere, write counts, and measure load.
     * @throws Error when ACME_CA_FILE cannot be used
     */
    async startOwn() {
      await customerDomains?.prepare();
      feed ??= followChanges(connection, {
        onChange({ of, id }) {
          if (of === 'domain') siteRouting?.live.evict({ domainId: id });
          else evictHere(of === 'project' ? { projectId: id } : { keyId: id });
        },
        onBegin() {
          keyCache.clear();
          sites?.clear();
          siteRouting?.live.clear();
        },
        onError: (err) =>
          log.warn(
            { err },
            'The change stream of API keys broke; this process sees changes made elsewhere when cached keys expire',
          ),
      });
      for (const job of [recorder, load]) job.start();
    },
    /**
     * Starts the jobs that all gateways on one database share; one gateway does each step. Call it once requests are
     * answered.
     */
    async startShared() {
      await customerDomains?.startJobs();
      services.removals.startJob();
      services.petsImports.startJob();
    },
  };

  bus.listen((message) => {
    if (message.about === 'record') evictHere(message.change);
    else ownLimits[message.about].count(message.client, message.cost);
  });

  const operations: Operations = OPERATIONS;
  const pets = createPetsService(petsStore, clock);
  return {
    ...services,
    /** Records usage, traffic and the last uses of keys. */
    recorder,
    clock,
    log,
    /** For each operation of both interfaces: when it was added, how stable it is, and when it ends. */
    operations,
    anonymous,
    browserShares: limitOf('browserShares'),
    signIns: limitOf('signIns'),
    dashboardRequests: limitOf('dashboardRequests'),
    /** Undefined without PLATFORM_HOST, as `sites` and `siteRouting` are. */
    customerDomains,
    /** The published files. */
    sites,
    /** Maps hosts to sites. */
    siteRouting,
    quotas,
    /** Whether local limits are in force, and how often they have been. */
    quotaOutages,
    apiKeysStore: stores.apiKeys,
    deploysStore: stores.deploys,
    petsStore,
    pets,
    petsOfCaller: createPetsOfCaller({
      pets,
      createPetOnce: createCreatePetOnce(petsStore, stores.idempotency, clock),
      changePetOnce: createChangePetOnce(stores.idempotency, clock),
      administration: services.administration,
      transact: (run) => transact(connection, run),
    }),
    traffic: createTrafficService(stores.traffic, WRITE_INTERVAL_MS, clock),
    /** Limits the requests in flight, and counts the requests that are answered with 503 for that reason. */
    load,
    readiness,
    publicReadiness,
    system: createSystemStatus({
      version: VERSION,
      readiness,
      isQuotaStoreDown: () => quotaOutages().down,
      ...createMongoRecordCounts(connection),
      domains: stores.domainStatistics,
      clock,
    }),
    /** Hit and miss counts of the caches. */
    cacheStatistics,
    metrics,
    tracing,
    jobs,
    /**
     * Writes batched data, unless the database is lost, and ends the jobs. The connection stays open: its creator closes
     * it.
     */
    async close({ databaseLost } = { databaseLost: false }) {
      load.close();
      if (databaseLost) recorder.abandon();
      else await recorder.close();
      await Promise.all([services.removals.close(), services.petsImports.close()]);
      await Promise.all([feed?.close(), customerDomains?.close()]);
      await quotaStore.close();
    },
  };
}

type Stores = SharedServices['stores'];

/** Limits per client and not per key. Counted in memory, by all processes of one gateway together. */
function createClientLimits(config: Config, clock: Clock): Record<SharedLimit, ClientLimiter> {
  return {
    /** Requests of a client without a valid key. */
    anonymous: createClientLimiter(config.anonymousRequestsPerMinute, clock),
    /** Requests of one client with one browser key. */
    browserShares: createClientLimiter(config.browserRequestsPerMinutePerIp, clock),
    /** Failed attempts of a client to sign in to the dashboard. */
    signIns: createClientLimiter(FAILED_SIGN_INS_PER_MINUTE, clock),
    /** Dashboard requests of all sessions of one key. */
    dashboardRequests: createClientLimiter(config.dashboardRequestsPerMinute, clock),
  };
}

/** Adds the jobs that check DNS and request certificates. */
function createDomainsWithJobs(
  config: Config,
  connection: Connection,
  customerDomains: SharedServices['services']['customerDomains'],
  { projects, audit }: Stores,
  log: Logger,
  clock: Clock,
) {
  if (customerDomains === undefined) return undefined;
  const { store, platformHosts, platformHost, siteCertificatesPerWeek, keyRing } = customerDomains;
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
      platformHosts,
      failedValidations: createMongoFailedValidations(connection),
      accountKeyAt: (directoryUrl, ring) => accountKeyAt(directoryUrl, connection, ring),
      usedKeyIds: () => usedKeyIds(connection),
      log,
    },
  );
  return { ...customerDomains, ...jobs };
}

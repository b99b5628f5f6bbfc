import type { Connection } from 'mongoose';
import { createAdministeredProjects, type AdministeredProjects } from './administration.js';
import type { Removals } from '../features/administration/removals.js';
import type { ApiKeysStore } from '../features/keys/api-keys-store.js';
import { createKeyCache } from '../features/keys/key-cache.js';
import type { AuditStore } from '../features/audit/audit-store.js';
import { createKeys, type Keys } from './keys.js';
import { createPets, type Pets } from './pets.js';
import { createClientLimits, type ClientLimits } from './client-limits.js';
import type { Config } from '../config/config.js';
import type { DeploysStore } from '../features/publishing/deploys/deploys-store.js';
import { createInvalidation } from './invalidation.js';
import { createJobs, type Jobs } from './jobs.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { createCacheStatistics, type StatisticsByCache } from '../lib/cache-statistics.js';
import { createInFlightLimit, type InFlightLimit } from '../http/load/in-flight-limit.js';
import { createMetrics, type Metrics } from '../observability/metrics/metrics.js';
import { createOwnHealth, type OwnHealth } from './health.js';
import { LOCAL_BUS, type Bus } from '../features/system/bus.js';
import { createProjectRemovals } from './project-removals.js';
import { createPublishing, type Publishing } from './publishing.js';
import { openQuotaLimiter, createQuotas, type Quotas } from './quotas.js';
import { createStores } from './stores.js';
import { NO_TRACING, type Tracing } from '../observability/tracing/tracing.js';
import { createUsageCounting, type UsageCounting } from './usage-counting.js';
import type { Operations } from '../http/versioning/operations.js';
import { OPERATIONS } from '../http/versioning/operations.js';

/** All services that the interfaces and the command line use, created once. */
export interface Services
  extends AdministeredProjects, Keys, Pets, Quotas, ClientLimits, OwnHealth, Publishing, UsageCounting {
  config: Config;
  clock: Clock;
  log: Logger;
  /** For each operation of both interfaces: when it was added, how stable it is, and when it ends. */
  operations: Operations;
  deploysStore: DeploysStore;
  apiKeysStore: ApiKeysStore;
  audit: AuditStore;
  /** Removes deleted projects. */
  removals: Removals;
  /** Limits the requests in flight, and counts the requests that are answered with 503 for that reason. */
  load: InFlightLimit;
  /** Hit and miss counts of the caches. */
  cacheStatistics: StatisticsByCache;
  metrics: Metrics;
  tracing: Tracing;
  /** The background jobs of a gateway, not started. */
  jobs: Jobs;
  /**
   * Writes batched data, unless the database is lost, and ends the jobs. The connection stays open: its creator closes
   * it.
   */
  close: (how?: { databaseLost: boolean }) => Promise<void>;
}

/**
 * The composition root: plain factories that receive their dependencies. The database must be prepared
 * (`prepareDatabase`). Starts no background jobs: see `jobs`.
 * @param storeTime the clock of the quota store; tests pass their own
 */
export async function createServices(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
  bus: Bus = LOCAL_BUS,
  tracing: Tracing = NO_TRACING,
  storeTime?: Clock,
): Promise<Services> {
  tracing.mongo(connection.getClient());
  const metrics = createMetrics((own) => bus.gather(own));
  const cacheStatistics = createCacheStatistics();
  const stores = createStores(config, connection, metrics, clock);
  const common = { stores, metrics, cacheStatistics, tracing, log, clock };
  const hearsOfChanges = () => changes.areHeard();

  const clientLimits = createClientLimits(config, bus, clock);
  const { anonymous } = clientLimits.limits;
  const publishing = createPublishing(config, connection, { ...common, anonymous, hearsOfChanges });
  const { customerDomains } = publishing;
  // Opens a connection, so it comes after the steps that may fail.
  const quotaStore = await openQuotaLimiter(config, connection, metrics, log, clock, storeTime);
  const keyCache = createKeyCache(config.keyCache, cacheStatistics.keys, () => changes.heardUpToMs());
  const changes = createInvalidation(connection, { ...publishing, keyCache, bus, log });
  const { changed, changedForAll } = changes;
  bus.listen((message) => {
    if (message.about === 'key') changed(message.change);
    else clientLimits.count(message);
  });

  const keys = createKeys(config, connection, { ...common, keyCache, changed });
  const usageCounting = createUsageCounting(stores, log, clock);
  const { keyUses, usageCounters, trafficCounters } = usageCounting;
  const { limiter } = quotaStore;
  const quotas = createQuotas(config, {
    ...common,
    limiter,
    usageCounters,
    trafficCounters,
    changedForAll,
  });
  const { keyQuotas, quotaOutages } = quotas;
  const removals = createProjectRemovals(connection, { ...common, removeCounters: quotaStore.forget });
  const administered = createAdministeredProjects(config, connection, {
    ...common,
    keys,
    keyQuotas,
    customerDomains,
    removals,
    changes,
  });

  const load = createInFlightLimit({
    ...config.load,
    onOverload: (reason, { inFlight, limit, eventLoopDelayMs }) =>
      log.warn({ reason, inFlight, limit, eventLoopDelayMs }, 'Overloaded; rejecting some requests with 503'),
    onRecovery: ({ overloads, shed }) => log.info({ overloads, shed }, 'No longer overloaded'),
  });
  const ownHealth = createOwnHealth(config, connection, {
    ...common,
    checkQuotaStore: quotaStore.check,
    quotaOutages,
    hearsOfChanges,
    load,
  });

  const jobs = createJobs({
    changes,
    keyUses,
    usageCounters,
    trafficCounters,
    load,
    customerDomains,
    removals,
  });

  return {
    config,
    clock,
    log,
    operations: OPERATIONS,
    ...administered,
    ...keys,
    ...createPets(stores, tracing, clock),
    ...quotas,
    ...clientLimits.limits,
    ...ownHealth,
    ...publishing,
    ...usageCounting,
    deploysStore: stores.deploys,
    apiKeysStore: stores.apiKeys,
    audit: stores.audit,
    removals,
    load,
    cacheStatistics,
    metrics,
    tracing,
    jobs,
    async close(how = { databaseLost: false }) {
      await jobs.close(how);
      await quotaStore.close();
    },
  };
}

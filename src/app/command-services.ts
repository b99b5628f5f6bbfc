import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { Removals } from '../features/administration/removals.js';
import type { AuditStore } from '../features/audit/audit-store.js';
import type { ApiKeysService } from '../features/keys/api-keys-service.js';
import type { SessionsService } from '../features/keys/sessions/sessions-service.js';
import { createKeyCache } from '../features/keys/key-cache.js';
import type { KeyQuotas } from '../features/quotas/key-quotas.js';
import { createKeyQuotas } from '../features/quotas/key-quotas.js';
import { USAGE_WRITTEN_WITHIN_MS } from '../features/usage/usage-counters.js';
import { createUsageService, type UsageService } from '../features/usage/usage-service.js';
import { createCacheStatistics } from '../lib/cache-statistics.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { NO_TRACING } from '../observability/tracing/tracing.js';
import { createAdministeredProjects, type AdministeredProjects } from './administration.js';
import { createDomainServices, type DomainServices } from './domain-services.js';
import { createKeys } from './keys.js';
import { createProjectRemovals } from './project-removals.js';
import { openQuotaLimiter } from './quotas.js';
import { createStores } from './stores.js';

/** The services that commands use. */
export interface CommandServices extends AdministeredProjects {
  config: Config;
  apiKeys: ApiKeysService;
  sessions: SessionsService;
  audit: AuditStore;
  keyQuotas: KeyQuotas;
  usage: UsageService;
  /** Undefined without PLATFORM_HOST. */
  customerDomains: DomainServices | undefined;
  removals: Removals;
  /** The connection to MongoDB stays open: its creator closes it. */
  close: () => Promise<void>;
}

/**
 * The composition root of the command line. Unlike `createServices`, it loads no interface, metrics, traces or
 * background jobs, so that a command takes little more time than its database. Running gateways notice the changes
 * through MongoDB's change stream.
 */
export async function createCommandServices(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
): Promise<CommandServices> {
  const ignore = () => undefined;
  const stores = createStores(config, connection, { timeStore: () => ignore }, clock);
  const common = { stores, log, clock };
  const domains = createDomainServices(config, connection, { projects: stores.projects, log, clock });
  const quotaStore = await openQuotaLimiter(
    config,
    connection,
    { timeStore: () => ignore, timeDecision: ignore },
    log,
    clock,
  );
  const keys = createKeys(config, connection, {
    ...common,
    keyCache: createKeyCache(config.keyCache, createCacheStatistics().keys),
    changed: ignore,
    tracing: NO_TRACING,
  });
  const keyQuotas = createKeyQuotas(
    quotaStore.limiter,
    stores.projects,
    config.adminRequestsPerMinute,
    clock,
  );
  const removals = createProjectRemovals(connection, { ...common, removeCounters: quotaStore.forget });
  const administered = createAdministeredProjects(config, connection, {
    ...common,
    keys,
    keyQuotas,
    customerDomains: domains && { ...domains, wake: ignore },
    removals,
    changes: { changed: ignore, changedForAll: () => Promise.resolve() },
  });
  return {
    config,
    ...administered,
    apiKeys: keys.apiKeys,
    sessions: keys.sessions,
    audit: stores.audit,
    keyQuotas,
    usage: createUsageService(stores.usage, USAGE_WRITTEN_WITHIN_MS, clock),
    customerDomains: domains,
    removals,
    async close() {
      await removals.close();
      await quotaStore.close();
    },
  };
}

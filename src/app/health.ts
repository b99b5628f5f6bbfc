import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import type { StatisticsByCache } from '../lib/cache-statistics.js';
import type { InFlightLimit } from '../http/load/in-flight-limit.js';
import { registerDomainGauges } from '../observability/metrics/domain-gauges.js';
import { registerGauges } from '../observability/metrics/gauges.js';
import type { Metrics } from '../observability/metrics/metrics.js';
import { wantedDatabase } from './migrations/wanted-database.js';
import { checkReadiness } from '../features/system/mongo-readiness.js';
import type { OutageState } from '../features/limiter/fallback-limiter.js';
import type { Stores } from './stores.js';
import { createMongoRecordCounts } from '../features/system/mongo-record-counts.js';
import { createReadiness, type PublicReadiness, type Readiness } from '../features/system/readiness.js';
import { createSystemStatus, type SystemStatus } from '../features/system/system-health.js';
import { VERSION } from '../lib/version.js';

/** The health of this gateway: readiness for probes, and the system status for operators. */
export interface OwnHealth {
  /** For operators, with all checks. Writes to the quota store, at most once in LOOK_REUSED_MS. */
  readiness: () => Promise<Readiness>;
  /** For anybody. */
  publicReadiness: PublicReadiness;
  system: SystemStatus;
}

export interface OwnHealthParts {
  stores: Pick<Stores, 'domainStatistics'>;
  /** Receives the health gauges. */
  metrics: Pick<Metrics, 'ofProcess' | 'ofDatabase'>;
  /** Resolves with `redis: ok`, or with the problem. */
  checkQuotaStore: () => Promise<string>;
  quotaOutages: () => Readonly<OutageState>;
  /** Whether this process notices changes made elsewhere at once, see `ChangeFeed.healthy`. */
  hearsOfChanges: () => boolean;
  load: Pick<InFlightLimit, 'state'>;
  cacheStatistics: StatisticsByCache;
  clock: Clock;
}

export function createOwnHealth(config: Config, connection: Connection, parts: OwnHealthParts): OwnHealth {
  const { metrics, checkQuotaStore, quotaOutages, hearsOfChanges, load, cacheStatistics, clock } = parts;
  const domains = parts.stores.domainStatistics;
  const wanted = wantedDatabase(config);

  const { ownReadiness, readiness, publicReadiness } = createReadiness(
    () => checkReadiness(connection, wanted, hearsOfChanges),
    checkQuotaStore,
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
  registerDomainGauges(metrics.ofDatabase, { domains, clock });
  return {
    readiness,
    publicReadiness,
    system: createSystemStatus({
      version: VERSION,
      readiness,
      isQuotaStoreDown: () => quotaOutages().down,
      ...createMongoRecordCounts(connection),
      domains,
      clock,
    }),
  };
}

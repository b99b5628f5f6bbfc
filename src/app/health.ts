import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import { shareLook } from '../lib/shared-look.js';
import type { StatisticsByCache } from '../lib/cache-statistics.js';
import type { InFlightLimit, LoadState } from '../http/load/in-flight-limit.js';
import { registerDomainGauges } from '../observability/metrics/domain-gauges.js';
import { registerGauges } from '../observability/metrics/gauges.js';
import type { Metrics } from '../observability/metrics/metrics.js';
import { wantedDatabase } from './migrations/wanted-database.js';
import { checkReadiness } from '../features/system/mongo-readiness.js';
import type { OutageState } from '../features/limiter/fallback-limiter.js';
import type { Stores } from './stores.js';
import { createMongoRecordCounts } from '../features/system/mongo-record-counts.js';
import type { PublicReadiness, Readiness } from '../features/system/readiness.js';
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

/** How long a look at the stores is reused by all that ask, milliseconds. */
const LOOK_REUSED_MS = 500;
/** The same for a client that has used up its limit. */
const LOOK_REUSED_BEYOND_LIMIT_MS = 5000;

export function createOwnHealth(config: Config, connection: Connection, parts: OwnHealthParts): OwnHealth {
  const { metrics, checkQuotaStore, quotaOutages, hearsOfChanges, load, cacheStatistics, clock } = parts;
  const domains = parts.stores.domainStatistics;
  const wanted = wantedDatabase(config);

  const lookAtMongo = shareLook(() => checkReadiness(connection, wanted, hearsOfChanges));
  const lookAtQuotaStore = shareLook(checkQuotaStore);

  /** What the gateway needs to be ready: reads of MongoDB, and no call of the quota store. */
  async function readyAt(maxAgeMs: number): Promise<Readiness> {
    const { ready, ...found } = await lookAtMongo(maxAgeMs);
    return { ...found, ready: ready && !load.state().full };
  }

  async function readiness(): Promise<Readiness> {
    const [found, quotaStore] = await Promise.all([
      readyAt(LOOK_REUSED_MS),
      lookAtQuotaStore(LOOK_REUSED_MS),
    ]);
    return { ...found, checks: { ...found.checks, quotaStore, load: loadCheck(load.state()) } };
  }

  const publicReadiness: PublicReadiness = async (charge) => {
    const mayLook = !lookAtMongo.isDue(LOOK_REUSED_MS) || charge();
    return (await readyAt(mayLook ? LOOK_REUSED_MS : LOOK_REUSED_BEYOND_LIMIT_MS)).ready;
  };

  registerGauges(metrics.ofProcess, {
    version: VERSION,
    cacheStatistics,
    load: () => load.state(),
    outages: quotaOutages,
    hearsOfChanges,
    readiness: () => readyAt(LOOK_REUSED_MS),
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

/**
 * A late event loop is reported but does not make the process unready: the process still serves what it can, and the
 * other processes would have to take over its requests.
 */
function loadCheck({ full, overloaded, inFlight, limit, eventLoopDelayMs }: Readonly<LoadState>): string {
  if (full) return `full: ${inFlight} of ${limit} requests in flight`;
  if (overloaded)
    return `overloaded: rejecting some requests with 503, ${inFlight} of ${limit} in flight, the event loop is ${eventLoopDelayMs} ms late`;
  return 'ok';
}

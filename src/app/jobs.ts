import type { Removals } from '../features/administration/removals.js';
import type { KeyUses } from '../features/keys/key-uses.js';
import type { TrafficCounters } from '../features/usage/traffic-counters.js';
import type { UsageCounters } from '../features/usage/usage-counters.js';
import type { InFlightLimit } from '../http/load/in-flight-limit.js';
import type { Invalidation } from './invalidation.js';
import type { DomainJobs } from '../features/publishing/domains/domain-jobs.js';

/** Background jobs. A gateway starts them; CLI commands do not. */
export interface Jobs {
  /**
   * Starts the jobs that each process needs for itself. Call it before the first request. The jobs follow changes made
   * elsewhere, write counts, and measure load.
   * @throws Error when ACME_CA_FILE cannot be used
   */
  startOwn(): Promise<void>;
  /**
   * Starts the jobs that all gateways on one database share; one gateway does each step. Call it once requests are
   * answered.
   */
  startShared(): Promise<void>;
  /** Ends all jobs, started or not. Writes pending counts unless the database is lost. */
  close(how: { databaseLost: boolean }): Promise<void>;
}

export interface JobsParts {
  changes: Pick<Invalidation, 'start' | 'close'>;
  keyUses: KeyUses;
  usageCounters: UsageCounters;
  trafficCounters: TrafficCounters;
  load: Pick<InFlightLimit, 'start' | 'close'>;
  /** Undefined without PLATFORM_HOST. */
  customerDomains: DomainJobs | undefined;
  removals: Pick<Removals, 'startWorker' | 'close'>;
}

export function createJobs({
  changes,
  keyUses,
  usageCounters,
  trafficCounters,
  load,
  customerDomains,
  removals,
}: JobsParts): Jobs {
  const batched = [keyUses, usageCounters, trafficCounters];
  return {
    async startOwn() {
      await customerDomains?.prepare();
      for (const job of [changes, ...batched, load]) job.start();
    },
    async startShared() {
      await customerDomains?.startWorker();
      removals.startWorker();
    },
    async close({ databaseLost }) {
      load.close();
      if (databaseLost) for (const one of batched) one.abandon();
      else await Promise.all(batched.map((one) => one.close()));
      await removals.close();
      await Promise.all([changes.close(), customerDomains?.close()]);
    },
  };
}

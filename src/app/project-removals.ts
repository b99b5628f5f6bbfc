import type { Connection } from 'mongoose';
import { createRemovals, type Removals } from '../features/administration/removals.js';
import { createRemoveProject } from '../features/administration/remove-project.js';
import { removeDomainsOf } from '../features/publishing/domains/mongo-domains-store.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { createMongoProjectRemovals } from '../features/projects/mongo-project-removals.js';
import type { OpenQuotaLimiter } from './quotas.js';
import type { Stores } from './stores.js';

export interface ProjectRemovalsParts {
  stores: Pick<Stores, 'apiKeys' | 'deploys' | 'idempotency' | 'sessions' | 'strikes' | 'usage'>;
  removeCounters: OpenQuotaLimiter['forget'];
  log: Logger;
  clock: Clock;
}

/** Removes deleted projects from every store that has their data. */
export function createProjectRemovals(
  connection: Connection,
  { stores, removeCounters, log, clock }: ProjectRemovalsParts,
): Removals {
  const { apiKeys, deploys, idempotency, sessions, strikes, usage } = stores;
  return createRemovals({
    removals: createMongoProjectRemovals(connection),
    removeProject: createRemoveProject({
      removeDomains: (projectId) => removeDomainsOf(connection, projectId),
      deploys,
      keys: apiKeys,
      sessions,
      strikes,
      removeCounters,
      idempotency,
      usage,
      clock,
    }),
    removeUnlistedBlobs: () => deploys.removeUnlistedBlobs(),
    onError: (err) =>
      log.warn({ err }, 'Could not remove the data of a deleted project; the gateway will retry'),
    clock,
  });
}

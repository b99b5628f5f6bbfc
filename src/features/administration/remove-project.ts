import type { ApiKey } from '../keys/api-key.js';
import type { ApiKeysStore } from '../keys/api-keys-store.js';
import type { DeploysStore } from '../publishing/deploys/deploys-store.js';
import type { PetsImportsStore } from '../synchronization/pets-imports-store.js';
import type { PetsStore } from '../pets/pets-store.js';
import type { PetsOfDeleted } from '../projects/project-removals.js';
import type { IdempotencyStore } from '../pets/idempotency/idempotency-store.js';
import { scopesOf } from '../pets/idempotency/claim-key.js';
import type { Clock } from '../../lib/clock.js';
import type { StrikesStore } from '../quotas/strikes-store.js';
import type { SessionsStore } from '../keys/sessions/sessions-store.js';
import type { UsageStore } from '../usage/usage-store.js';

export interface RemoveProjectParts {
  /** Removes customer domains and the platform host's record, with their certificates and keys. */
  removeDomains: (projectId: string) => Promise<void>;
  deploys: Pick<DeploysStore, 'removeOfProject'>;
  keys: Pick<ApiKeysStore, 'page' | 'remove'>;
  sessions: Pick<SessionsStore, 'removeOfKeys'>;
  strikes: Pick<StrikesStore, 'remove'>;
  removeCounters: (keys: readonly ApiKey[]) => Promise<void>;
  petsImports: Pick<PetsImportsStore, 'removeOfProject'>;
  pets: Pick<PetsStore, 'removeOf' | 'handOver'>;
  idempotency: Pick<IdempotencyStore, 'removeUnder'>;
  usage: Pick<UsageStore, 'removeOfProject'>;
  clock: Clock;
}

/** @param signal checked between the parts; once it is aborted, its reason is thrown */
export type RemoveProject = (projectId: string, pets: PetsOfDeleted, signal: AbortSignal) => Promise<void>;

const KEYS_AT_ONCE = 500;

/**
 * Removes the data of a deleted project, except its own record, its names that are never reused, and the audit log.
 * Each step is idempotent, so that any process can restart an interrupted removal.
 */
export function createRemoveProject(parts: RemoveProjectParts): RemoveProject {
  const { removeDomains, deploys, keys, sessions, strikes, removeCounters, pets, idempotency, usage, clock } =
    parts;

  /** Removes data that is found only by a key's id before the key itself. */
  async function removeKeys(projectId: string, signal: AbortSignal): Promise<void> {
    const query = { first: KEYS_AT_ONCE, filter: { projectId }, orderBy: 'createdAt' } as const;
    for (;;) {
      signal.throwIfAborted();
      const { entries } = await keys.page({ ...query, nowMs: clock() });
      if (entries.length === 0) return;
      const found = entries.map(({ key }) => key);
      const ids = found.map(({ id }) => id);
      await Promise.all([sessions.removeOfKeys(ids), strikes.remove(ids), removeCounters(found)]);
      await keys.remove(ids);
    }
  }

  return async (projectId, petsOf, signal) => {
    await removeDomains(projectId);
    signal.throwIfAborted();
    await deploys.removeOfProject(projectId);
    await parts.petsImports.removeOfProject(projectId);
    await removeKeys(projectId, signal);
    if (petsOf === 'handOver') await pets.handOver(projectId, signal);
    else await pets.removeOf(projectId, signal);
    for (const scopes of scopesOf(projectId)) await idempotency.removeUnder(scopes, signal);
    await usage.removeOfProject(projectId, signal);
  };
}

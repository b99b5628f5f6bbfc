import type { CacheStatistics } from '../../lib/cache-statistics.js';
import { createLoadingCache } from '../../lib/read-cache.js';
import type { KeyChange } from './api-keys-store.js';
import type { Caller } from './caller.js';

export interface KeyCacheSettings {
  /** Callers kept at most. */
  max: number;
  /** How old an entry may grow when no change is heard of, milliseconds. */
  ttlMs: number;
}

export interface KeyCache {
  /** The caller with this secret hash; `load` runs at most once at a time for a hash. Its errors are not kept. */
  find(hash: string, load: () => Promise<Caller | undefined>): Promise<Caller | undefined>;
  /** Forgets what the change touches: the next find loads what is true after it. */
  evict(change: KeyChange): void;
  /** Forgets everything: changes may have been missed. */
  clear(): void;
}

/**
 * Callers by secret hash. Unknown hashes are kept apart, so that a flood of invented keys cannot push out real ones.
 */
export function createKeyCache(
  { max, ttlMs }: KeyCacheSettings,
  cacheStatistics?: CacheStatistics,
): KeyCache {
  const callers = createLoadingCache<Caller>({
    maxSize: max,
    maxMissing: Math.ceil(max / 4),
    ttlMs,
    cacheStatistics,
  });
  return {
    find: (hash, load) => callers.get(hash, load),
    // What is unknown is forgotten as well: a new key may be one that was asked for before it existed.
    evict: (change) =>
      callers.forgetWhere(({ key }) =>
        'keyId' in change ? key.id === change.keyId : key.projectId === change.projectId,
      ),
    clear: () => callers.clear(),
  };
}

import type { CacheStatistics } from '../../lib/cache-statistics.js';
import { createLoadingCache } from '../../lib/read-cache.js';
import type { RecordChange } from './record-change.js';
import type { Caller } from './caller.js';

export interface KeyCacheSettings {
  /** Maximum number of cached callers. */
  max: number;
  /** How long an entry stays while the process does not notice changes, in milliseconds. */
  ttlMs: number;
}

/** Until when, on performance.now(), every change of a key was noticed. */
export type NoticedUpTo = () => number;

export interface KeyCache {
  /**
   * Returns the caller with this secret hash. `load` runs at most once at a time per hash; its errors are not cached.
   */
  find(hash: string, load: () => Promise<Caller | undefined>): Promise<Caller | undefined>;
  /** Returns the cached caller with this secret hash, if `find` would return it without a call of `load`. */
  peek(hash: string): Caller | undefined;
  /**
   * Drops entries that the change affects: the next find loads the new state. Takes the same time however many callers are
   * cached.
   */
  evict(change: RecordChange): void;
  /** Drops everything, for when changes were missed. */
  clear(): void;
}

/**
 * Caches callers by secret hash. Unknown hashes have a separate cache, so that a flood of invented keys cannot evict
 * valid ones.
 */
export function createKeyCache(
  { max, ttlMs }: KeyCacheSettings,
  cacheStatistics?: CacheStatistics,
  noticedUpToMs?: NoticedUpTo,
): KeyCache {
  const callers = createLoadingCache<Caller>({
    maxSize: max,
    maxMissing: Math.ceil(max / 4),
    ttlMs,
    sourcesOf: ({ key }) => (key.projectId === undefined ? [key.id] : [key.id, key.projectId]),
    noticedUpToMs,
    cacheStatistics,
  });
  return {
    find: async (hash, load) => callers.get(hash, load),
    peek: (hash) => callers.peek(hash),
    // Evicts unknown hashes as well: a new key may have been looked up before it existed.
    evict: (change) => callers.changed('keyId' in change ? change.keyId : change.projectId),
    clear: () => callers.clear(),
  };
}

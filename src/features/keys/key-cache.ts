import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { noStatistics } from '../../lib/cache-statistics.js';
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
export function createKeyCache({ max, ttlMs }: KeyCacheSettings, cacheStatistics = noStatistics()): KeyCache {
  const callers = new LRUCache<string, Caller>({ ...atMost(max), ttl: ttlMs });
  const unknown = new LRUCache<string, true>({ ...atMost(Math.ceil(max / 4)), ttl: ttlMs });
  const loading = new Map<string, Promise<Caller | undefined>>();
  /** A load that began before an eviction may carry what was true before the change: it answers, but is not kept. */
  let generation = 0;

  async function load(hash: string, read: () => Promise<Caller | undefined>): Promise<Caller | undefined> {
    const startedIn = generation;
    try {
      const caller = await read();
      if (startedIn === generation) {
        if (caller === undefined) unknown.set(hash, true);
        else callers.set(hash, caller);
      }
      return caller;
    } finally {
      if (startedIn === generation) loading.delete(hash);
    }
  }

  function nextGeneration(): void {
    generation += 1;
    // Whoever asks from now on must not share a read that began before the change.
    loading.clear();
  }

  return {
    async find(hash, read) {
      const caller = callers.get(hash);
      if (caller !== undefined || unknown.has(hash)) {
        cacheStatistics.hits += 1;
        return caller;
      }
      cacheStatistics.misses += 1;
      let shared = loading.get(hash);
      if (shared === undefined) loading.set(hash, (shared = load(hash, read)));
      return shared;
    },
    evict(change) {
      nextGeneration();
      // A new key may be one that was asked for before it existed.
      unknown.clear();
      for (const [hash, { key }] of callers.entries())
        if ('keyId' in change ? key.id === change.keyId : key.projectId === change.projectId)
          callers.delete(hash);
    },
    clear() {
      nextGeneration();
      unknown.clear();
      callers.clear();
    },
  };
}

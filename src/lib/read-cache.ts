import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.js';
import type { Awaitable } from './awaitable.js';
import { noStatistics, type CacheStatistics } from './cache-statistics.js';

/**
 * Resolves with undefined if the key has no value; the cache keeps this result too. The cache does not keep errors. A
 * call that throws at once fails only its own `get`: no other shares it.
 */
type Read<Value> = (key: string) => Promise<Value | undefined>;

export interface LoadingCacheSettings<Value> {
  /** The maximum sum of `sizeOf` over all cached values. */
  maxSize: number;
  /** Default: 1 for each value. */
  sizeOf?: (value: Value) => number;
  /** The maximum number of keys cached as missing. They are kept apart, so that invented keys do not evict values. */
  maxMissing?: number;
  /**
   * How old an entry may get without notice of a change, milliseconds. 0: entries never expire, because values never
   * change.
   */
  ttlMs: number;
  /**
   * Until when, on performance.now(), every change was noticed. An entry from before counts as read at that moment, so
   * it stays while changes are noticed, for a minute at most.
   */
  noticedUpToMs?: (() => number) | undefined;
  /** Receives the hits and misses. */
  cacheStatistics?: CacheStatistics | undefined;
}

export interface LoadingCache<Value> {
  /** Concurrent calls for the same key share one read. A cached value is returned at once. */
  get(key: string, read: Read<Value>): Awaitable<Value | undefined>;
  /** The cached value, if `get` would return it without a read. Does not count in the statistics. */
  peek(key: string): Value | undefined;
  /** Returns the value in memory, however old. Reads nothing. */
  lastKnown(key: string): Value | undefined;
  /** The next `get` reads the current value: it does not share a read that began before. */
  forget(key: string): void;
  /**
   * Like `forget`, for each key with a value for which `isChanged` returns true, and for all keys cached as missing.
   */
  forgetWhere(isChanged: (value: Value) => boolean): void;
  clear(): void;
}

/** A cache that reads all its values with the same function. */
export interface ReadCache<Value> extends Omit<LoadingCache<Value>, 'get'> {
  get(key: string): Awaitable<Value | undefined>;
}

const MAX_MISSING = 2500;
/** A bound on the age of entries, for changes of which no notice is given, such as an operator's in the database. */
const MAX_AGE_MS = 60_000;

interface Entry<Value> {
  value: Value;
  /** When the read began, on performance.now(). */
  readAtMs: number;
}

export function createReadCache<Value extends object>(
  settings: LoadingCacheSettings<Value> & { read: Read<Value> },
): ReadCache<Value> {
  const cache = createLoadingCache(settings);
  return { ...cache, get: (key) => cache.get(key, settings.read) };
}

/** Caches the value last read for each key, in bounded memory. */
export function createLoadingCache<Value extends object>(
  settings: LoadingCacheSettings<Value>,
): LoadingCache<Value> {
  const {
    maxSize,
    sizeOf = () => 1,
    maxMissing = MAX_MISSING,
    ttlMs,
    noticedUpToMs = () => -Infinity,
    cacheStatistics = noStatistics(),
  } = settings;
  const found = new LRUCache<string, Entry<Value>>({
    maxSize,
    sizeCalculation: ({ value }) => sizeOf(value),
  });
  const missing = new LRUCache<string, true>({ ...atMost(maxMissing), ttl: ttlMs });
  const reading = new Map<string, Promise<Value | undefined>>();

  function isFresh(readAtMs: number): boolean {
    const nowMs = performance.now();
    const isYoung = nowMs - readAtMs < ttlMs;
    return ttlMs === 0 || isYoung || (nowMs - readAtMs < MAX_AGE_MS && nowMs - noticedUpToMs() < ttlMs);
  }

  async function readAndKeep(key: string, read: Read<Value>): Promise<Value | undefined> {
    const isLatest = () => reading.get(key) === flight;
    const readAtMs = performance.now();
    const flight = read(key);
    reading.set(key, flight);
    try {
      const value = await flight;
      if (isLatest())
        if (value === undefined) missing.set(key, true);
        else found.set(key, { value, readAtMs });
      return value;
    } finally {
      if (isLatest()) reading.delete(key);
    }
  }

  return {
    get(key, read) {
      const entry = found.get(key);
      if (entry === undefined ? missing.has(key) : isFresh(entry.readAtMs)) {
        cacheStatistics.hits += 1;
        return entry?.value;
      }
      cacheStatistics.misses += 1;
      return reading.get(key) ?? readAndKeep(key, read);
    },
    peek(key) {
      const entry = found.get(key);
      return entry !== undefined && isFresh(entry.readAtMs) ? entry.value : undefined;
    },
    lastKnown: (key) => found.peek(key)?.value,
    forget(key) {
      reading.delete(key);
      found.delete(key);
      missing.delete(key);
    },
    forgetWhere(isChanged) {
      // A read in progress may be of a changed value.
      reading.clear();
      missing.clear();
      for (const [key, { value }] of found.entries()) if (isChanged(value)) found.delete(key);
    },
    clear() {
      reading.clear();
      found.clear();
      missing.clear();
    },
  };
}

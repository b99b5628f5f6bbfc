import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.js';
import { noStatistics, type CacheStatistics } from './cache-statistics.js';

/** Undefined: there is nothing under this key, which is remembered as well. What it throws is not. */
type Read<Value> = (key: string) => Promise<Value | undefined>;

export interface LoadingCacheSettings<Value> {
  /** The sum of `sizeOf` over what is kept at most. */
  maxSize: number;
  /** 1 where it is not given. */
  sizeOf?: (value: Value) => number;
  /** Keys under which nothing was found, at most: kept apart, so that invented ones push out nothing that there is. */
  maxMissing?: number;
  /** How old what is kept may grow when no change is heard of, milliseconds; 0: nothing kept ever changes. */
  ttlMs: number;
  /** Where it is counted what was found. */
  cacheStatistics?: CacheStatistics | undefined;
}

export interface LoadingCache<Value> {
  /** One read at a time for a key, whoever asks for it. */
  get(key: string, read: Read<Value>): Promise<Value | undefined>;
  /** The next `get` reads what is true from now on: it shares no read that began before. */
  forget(key: string): void;
  /** As `forget`, for every key whose value this is said of, and every one under which nothing was found. */
  forgetWhere(isChanged: (value: Value) => boolean): void;
  clear(): void;
}

/** A cache whose values are all read in one way. */
export interface ReadCache<Value> extends Omit<LoadingCache<Value>, 'get'> {
  get(key: string): Promise<Value | undefined>;
}

const MAX_MISSING = 2500;

export function createReadCache<Value extends object>(
  settings: LoadingCacheSettings<Value> & { read: Read<Value> },
): ReadCache<Value> {
  const cache = createLoadingCache(settings);
  return { ...cache, get: (key) => cache.get(key, settings.read) };
}

/** What was read last under each key, in bounded memory. */
export function createLoadingCache<Value extends object>(
  settings: LoadingCacheSettings<Value>,
): LoadingCache<Value> {
  const {
    maxSize,
    sizeOf = () => 1,
    maxMissing = MAX_MISSING,
    ttlMs,
    cacheStatistics = noStatistics(),
  } = settings;
  const found = new LRUCache<string, Value>({ maxSize, sizeCalculation: sizeOf, ttl: ttlMs });
  const missing = new LRUCache<string, true>({ ...atMost(maxMissing), ttl: ttlMs });
  const reading = new Map<string, Promise<Value | undefined>>();

  async function readAndKeep(key: string, read: Read<Value>): Promise<Value | undefined> {
    const isLatest = () => reading.get(key) === flight;
    const flight = read(key);
    reading.set(key, flight);
    try {
      const value = await flight;
      if (isLatest()) {
        if (value === undefined) missing.set(key, true);
        else found.set(key, value);
      }
      return value;
    } finally {
      if (isLatest()) reading.delete(key);
    }
  }

  return {
    async get(key, read) {
      const value = found.get(key);
      if (value !== undefined || missing.has(key)) {
        cacheStatistics.hits += 1;
        return value;
      }
      cacheStatistics.misses += 1;
      return reading.get(key) ?? readAndKeep(key, read);
    },
    forget(key) {
      reading.delete(key);
      found.delete(key);
      missing.delete(key);
    },
    forgetWhere(isChanged) {
      // What is being read may be what has changed.
      reading.clear();
      missing.clear();
      for (const [key, value] of found.entries()) if (isChanged(value)) found.delete(key);
    },
    clear() {
      reading.clear();
      found.clear();
      missing.clear();
    },
  };
}

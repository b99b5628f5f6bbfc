import { LRUCache } from 'lru-cache';
import { noStatistics, type CacheStatistics } from './cache-statistics.js';

export interface ReadCacheSettings<Value> {
  /** Undefined: there is nothing under this key, which is remembered as well. What it throws is not. */
  read: (key: string) => Promise<Value | undefined>;
  /** The sum of `sizeOf` over what is kept at most. */
  maxSize: number;
  /** 1 where it is not given. */
  sizeOf?: (value: Value) => number;
  /** How old what is kept may grow when no change is heard of, milliseconds; 0: nothing kept ever changes. */
  ttlMs: number;
  /** Where it is counted what was found. */
  cacheStatistics?: CacheStatistics | undefined;
}

export interface ReadCache<Value> {
  /** One read at a time for a key, whoever asks for it. */
  get(key: string): Promise<Value | undefined>;
  /** The next `get` reads what is true from now on: it shares no read that began before. */
  forget(key: string): void;
  /** As `forget`, for every key whose value this is said of, and every one under which nothing was found. */
  forgetWhere(isChanged: (value: Value) => boolean): void;
  clear(): void;
}

/** Keys under which nothing was found, at most: kept apart, so that invented ones push out nothing that there is. */
const MAX_MISSING = 2500;

/** What was read last under each key, in bounded memory. */
export function createReadCache<Value extends object>(settings: ReadCacheSettings<Value>): ReadCache<Value> {
  const { read, maxSize, sizeOf = () => 1, ttlMs, cacheStatistics = noStatistics() } = settings;
  const found = new LRUCache<string, Value>({ maxSize, sizeCalculation: sizeOf, ttl: ttlMs });
  const missing = new LRUCache<string, true>({ max: MAX_MISSING, ttl: ttlMs });
  const reading = new Map<string, Promise<Value | undefined>>();

  async function readAndKeep(key: string): Promise<Value | undefined> {
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
    async get(key) {
      const value = found.get(key);
      if (value !== undefined || missing.has(key)) {
        cacheStatistics.hits += 1;
        return value;
      }
      cacheStatistics.misses += 1;
      return reading.get(key) ?? readAndKeep(key);
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

import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.js';
import type { Awaitable } from './awaitable.js';
import { noStatistics, type CacheStatistics } from './cache-statistics.js';

/**
 * Resolves with undefined if the key has no value; the cache keeps this result too. The cache does not keep errors. A
 * call that throws at once fails only its own `get`: no other shares it. It must end in time, because the cache remembers
 * all changes since the oldest read under way began.
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
   * The ids of the records that a value was read from, for `changed`. None: a change of any record may change the value.
   * Default: none.
   */
  sourcesOf?: (value: Value) => readonly string[];
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
  /** Returns the value in memory, however old, unless it has changed. Reads nothing. */
  lastKnown(key: string): Value | undefined;
  /** The next `get` reads the current value: it does not share a read that began before. */
  forget(key: string): void;
  /**
   * The record with this id has changed: the next `get` returns the current value for each key with a value from this
   * record or without sources, and for each key cached as missing. A read under way is repeated only if its result is one
   * of these. Takes the same time however much is cached or being read.
   */
  changed(source: string): void;
  clear(): void;
}

/** A cache that reads all its values with the same function. */
export interface ReadCache<Value> extends Omit<LoadingCache<Value>, 'get'> {
  get(key: string): Awaitable<Value | undefined>;
}

const MAX_MISSING = 2500;
/** A bound on the age of entries, for changes of which no notice is given, such as an operator's in the database. */
const MAX_AGE_MS = 60_000;
/** After this many reads, changes from before the oldest read under way are dropped. */
const READS_PER_CLEANING = 256;

/** A record that cached values were read from. A change marks it, and by that all its entries. */
interface Source {
  id: string;
  entries: number;
  hasChanged: boolean;
}

interface Entry<Value> {
  value: Value;
  /** When the read began, on performance.now(). */
  readAtMs: number;
  sources: readonly Source[];
  /** The number of changes when it was cached; without sources, it is current until the next change. */
  changes: number;
}

/** A read under way. */
interface Reading<Value> {
  /** Settles after `wasChanged` is set. */
  value: Promise<Value | undefined>;
  /** The number of changes when it began. */
  changes: number;
  /** Whether its result may have changed since it began. */
  wasChanged: boolean;
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
    sourcesOf = () => [],
    noticedUpToMs = () => -Infinity,
    cacheStatistics = noStatistics(),
  } = settings;
  let found = newFound();
  /** With the number of changes when the key was missing. */
  let missing = newMissing();
  /** Of the entries in `found` that have not changed. */
  let sources = new Map<string, Source>();
  /** The read of each key that later calls share. */
  const reading = new Map<string, Reading<Value>>();

  let changes = 0;
  /** All reads, also those that no later call shares, oldest first. */
  const underWay = new Set<Reading<Value>>();
  /** The changes since the oldest of these reads began, by id: the latest of each record, oldest first. */
  const changedMeanwhile = new Map<string, number>();
  let readsUntilCleaning = READS_PER_CLEANING;

  function newFound() {
    return new LRUCache<string, Entry<Value>>({
      maxSize,
      sizeCalculation: ({ value }) => sizeOf(value),
      dispose: release,
    });
  }

  function newMissing() {
    return new LRUCache<string, number>({ ...atMost(maxMissing), ttl: ttlMs });
  }

  function isFresh(readAtMs: number): boolean {
    const nowMs = performance.now();
    const isYoung = nowMs - readAtMs < ttlMs;
    return ttlMs === 0 || isYoung || (nowMs - readAtMs < MAX_AGE_MS && nowMs - noticedUpToMs() < ttlMs);
  }

  function hasChanged(entry: Entry<Value>): boolean {
    if (entry.sources.length === 0) return entry.changes !== changes;
    for (const source of entry.sources) if (source.hasChanged) return true;
    return false;
  }

  /** Whether a result may have changed since its read began. */
  function hasChangedSince(began: number, value: Value | undefined): boolean {
    if (began === changes) return false;
    const ids = value === undefined ? [] : sourcesOf(value);
    return ids.length === 0 || ids.some((id) => (changedMeanwhile.get(id) ?? 0) > began);
  }

  function keep(key: string, value: Value, readAtMs: number): void {
    const ofEntry = sourcesOf(value).map((id) => {
      let source = sources.get(id);
      if (source === undefined) sources.set(id, (source = { id, entries: 0, hasChanged: false }));
      source.entries += 1;
      return source;
    });
    const entry = { value, readAtMs, sources: ofEntry, changes };
    found.set(key, entry);
    // Larger than the whole cache.
    if (found.peek(key) !== entry) release(entry);
  }

  function release(entry: Entry<Value>): void {
    for (const source of entry.sources) {
      source.entries -= 1;
      if (source.entries === 0 && !source.hasChanged) sources.delete(source.id);
    }
  }

  /** Drops the changes that no read under way has to know. */
  function forgetChanges(): void {
    if (underWay.size === 0) changedMeanwhile.clear();
    readsUntilCleaning -= 1;
    if (readsUntilCleaning > 0) return;
    readsUntilCleaning = READS_PER_CLEANING;
    const [oldest] = underWay;
    for (const [id, change] of changedMeanwhile) {
      if (oldest === undefined || change > oldest.changes) break;
      changedMeanwhile.delete(id);
    }
  }

  function begin(key: string, read: Read<Value>): Promise<Value | undefined> {
    const readAtMs = performance.now();
    const began = read(key);
    const flight: Reading<Value> = { value: finish(), changes, wasChanged: false };
    reading.set(key, flight);
    underWay.add(flight);

    async function finish(): Promise<Value | undefined> {
      try {
        const value = await began;
        flight.wasChanged = hasChangedSince(flight.changes, value);
        if (reading.get(key) === flight && !flight.wasChanged)
          if (value === undefined) {
            missing.set(key, changes);
            found.delete(key);
          } else keep(key, value, readAtMs);
        return value;
      } finally {
        underWay.delete(flight);
        if (reading.get(key) === flight) reading.delete(key);
        forgetChanges();
      }
    }
    return flight.value;
  }

  /** For a call after a change since the read began. */
  async function share(flight: Reading<Value>, key: string, read: Read<Value>): Promise<Value | undefined> {
    const value = await flight.value;
    // A read that is under way now began after this call.
    return flight.wasChanged ? (reading.get(key)?.value ?? begin(key, read)) : value;
  }

  return {
    get(key, read) {
      const entry = found.get(key);
      if (
        entry === undefined ? missing.get(key) === changes : !hasChanged(entry) && isFresh(entry.readAtMs)
      ) {
        cacheStatistics.hits += 1;
        return entry?.value;
      }
      cacheStatistics.misses += 1;
      const flight = reading.get(key);
      if (flight === undefined) return begin(key, read);
      return flight.changes === changes ? flight.value : share(flight, key, read);
    },
    peek(key) {
      const entry = found.get(key);
      return entry !== undefined && !hasChanged(entry) && isFresh(entry.readAtMs) ? entry.value : undefined;
    },
    lastKnown(key) {
      const entry = found.peek(key);
      return entry !== undefined && !hasChanged(entry) ? entry.value : undefined;
    },
    forget(key) {
      reading.delete(key);
      found.delete(key);
      missing.delete(key);
    },
    changed(id) {
      changes += 1;
      const source = sources.get(id);
      if (source !== undefined) {
        source.hasChanged = true;
        sources.delete(id);
      }
      if (underWay.size === 0) return;
      // In the order of the latest change.
      changedMeanwhile.delete(id);
      changedMeanwhile.set(id, changes);
    },
    clear() {
      reading.clear();
      // New ones, because clearing takes as long as they are large.
      found = newFound();
      missing = newMissing();
      sources = new Map();
    },
  };
}

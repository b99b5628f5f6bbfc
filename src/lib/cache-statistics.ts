/** Hits and misses of a cache since the start of this process. */
export interface CacheStatistics {
  hits: number;
  misses: number;
}

/** The names of the in-memory caches. */
export const CACHES = ['keys', 'documents', 'answers', 'sites', 'domains'] as const;
export type CacheName = (typeof CACHES)[number];
export type StatisticsByCache = Readonly<Record<CacheName, CacheStatistics>>;

export const noStatistics = (): CacheStatistics => ({ hits: 0, misses: 0 });

export function createCacheStatistics(): StatisticsByCache {
  return {
    keys: noStatistics(),
    documents: noStatistics(),
    answers: noStatistics(),
    sites: noStatistics(),
    domains: noStatistics(),
  };
}

/** How often a cache had what it was asked for, since the start of this process. */
export interface CacheStatistics {
  hits: number;
  misses: number;
}

/** What is remembered beside the stores. */
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

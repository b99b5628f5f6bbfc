/** How often a cache had what it was asked for, since the start of this process. */
export interface Lookups {
  hits: number;
  misses: number;
}

/** What is remembered beside the stores. */
export const CACHES = ['keys', 'documents', 'answers', 'sites', 'domains'] as const;
export type CacheName = (typeof CACHES)[number];
export type LookupsByCache = Readonly<Record<CacheName, Lookups>>;

export const noLookups = (): Lookups => ({ hits: 0, misses: 0 });

export function createLookups(): LookupsByCache {
  return {
    keys: noLookups(),
    documents: noLookups(),
    answers: noLookups(),
    sites: noLookups(),
    domains: noLookups(),
  };
}

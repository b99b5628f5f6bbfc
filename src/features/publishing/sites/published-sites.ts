import type { RecordChange } from '../../keys/record-change.js';
import type { SiteFile } from '../deploys/deploy.js';
import type { Blob, DeploysStore } from '../deploys/deploys-store.js';
import { whenKnown, type Awaitable } from '../../../lib/awaitable.js';
import type { CacheStatistics } from '../../../lib/cache-statistics.js';
import { createLoadingCache, createReadCache } from '../../../lib/read-cache.js';

/** One deploy, as its visitors get it. */
export interface PublishedSite {
  deployId: string;
  /** See `Deploy`. */
  spa: boolean;
  /** By path. */
  files: ReadonlyMap<string, SiteFile>;
}

/** Reads published sites for visitors' requests, mostly from memory. */
export interface PublishedSites {
  /** The files of the live deploy only; undefined before the first deploy. */
  siteOf(projectId: string): Awaitable<PublishedSite | undefined>;
  /** The bytes of a file that the deploy lists. @throws BlobGone */
  blob(deployId: string, sha256: string): Awaitable<Blob>;
  /** Drops the project that the change affects: the next request reads the new state. */
  evict(change: RecordChange): void;
  /** Drops everything that may have changed, for when changes were missed. */
  clear(): void;
}

/** The deploy is no longer stored, so it is no longer live. */
export class BlobGone extends Error {
  override readonly name = 'BlobGone';
}

export interface PublishedSitesParts {
  deploys: Pick<DeploysStore, 'liveSite' | 'blob'>;
  /** How long a site stays in memory if no change event arrives, in milliseconds. */
  ttlMs: number;
  cacheStatistics?: CacheStatistics | undefined;
}

/** Limit over all sites in memory. The entry of a file takes about 300 bytes. */
const MAX_LISTED_FILES = 100_000;
const MAX_BLOB_BYTES = 64 * 1024 * 1024;

export function createPublishedSites(parts: PublishedSitesParts): PublishedSites {
  const { deploys, ttlMs, cacheStatistics } = parts;

  const sites = createReadCache<PublishedSite>({
    read: async (projectId) => {
      const live = await deploys.liveSite(projectId);
      return live && { ...live, files: new Map(live.files.map((file) => [file.path, file])) };
    },
    maxSize: MAX_LISTED_FILES,
    sizeOf: ({ files }) => files.size + 1,
    ttlMs,
    cacheStatistics,
  });
  const blobs = createLoadingCache<Blob>({
    maxSize: MAX_BLOB_BYTES,
    sizeOf: ({ bytes, gzip, brotli }) => bytes.length + (gzip?.length ?? 0) + (brotli?.length ?? 0) + 1,
    ttlMs: 0,
  });

  /** Throws so that the cache stores nothing: a server that lags behind may have the file a moment later. */
  async function readBlob(deployId: string, sha256: string): Promise<Blob> {
    const blob = await deploys.blob(deployId, sha256);
    return blob ?? gone(deployId, sha256);
  }

  function gone(deployId: string, sha256: string): never {
    throw new BlobGone(`the deploy ${deployId} has no file ${sha256}`);
  }

  return {
    siteOf: (projectId) => sites.get(projectId),
    blob: (deployId, sha256) =>
      whenKnown(
        blobs.get(`${deployId}/${sha256}`, () => readBlob(deployId, sha256)),
        (blob) => blob ?? gone(deployId, sha256),
      ),
    evict(change) {
      if (!('projectId' in change)) return;
      sites.forget(change.projectId);
    },
    clear() {
      sites.clear();
    },
  };
}

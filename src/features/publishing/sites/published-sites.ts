import type { KeyChange } from '../../keys/api-keys-store.js';
import type { SiteFile } from '../deploys/deploy.js';
import type { Blob, DeploysStore } from '../deploys/deploys-store.js';
import type { CacheStatistics } from '../../../lib/cache-statistics.js';
import { createReadCache } from '../../../lib/read-cache.js';

/** One deploy as its visitors get it. */
export interface PublishedSite {
  deployId: string;
  /** By path. */
  files: ReadonlyMap<string, SiteFile>;
}

/** What is published, as the requests of visitors read it: from memory for the most part. */
export interface PublishedSites {
  /** The files of the live deploy, of this one alone; undefined before the first. */
  siteOf(projectId: string): Promise<PublishedSite | undefined>;
  /** @throws BlobGone */
  blob(sha256: string): Promise<Blob>;
  /** Forgets what a change touches: the next request reads what is true after it. */
  evict(change: KeyChange): void;
  /** Forgets all that may have changed: changes may have been missed. */
  clear(): void;
}

/** The deploy that listed it is no longer kept, and so is no longer live. */
export class BlobGone extends Error {
  constructor(sha256: string) {
    super(`there is no blob ${sha256}`);
    this.name = 'BlobGone';
  }
}

export interface PublishedSitesParts {
  deploys: Pick<DeploysStore, 'liveSite' | 'blob'>;
  /** How old a site may grow in memory when no change is heard of, milliseconds. */
  ttlMs: number;
  cacheStatistics?: CacheStatistics | undefined;
}

/** Over all sites in memory; a file's entry is some 300 bytes. */
const MAX_LISTED_FILES = 100_000;
const MAX_BLOB_BYTES = 64 * 1024 * 1024;

export function createPublishedSites(parts: PublishedSitesParts): PublishedSites {
  const { deploys, ttlMs, cacheStatistics } = parts;

  const sites = createReadCache<PublishedSite>({
    read: async (projectId) => {
      const live = await deploys.liveSite(projectId);
      return live && { deployId: live.deployId, files: new Map(live.files.map((file) => [file.path, file])) };
    },
    maxSize: MAX_LISTED_FILES,
    sizeOf: ({ files }) => files.size + 1,
    ttlMs,
    cacheStatistics,
  });
  const blobs = createReadCache<Blob>({
    read: async (sha256) => {
      const blob = await deploys.blob(sha256);
      // Thrown, and so not remembered: bytes that are not there may be stored in the next moment.
      if (blob === undefined) throw new BlobGone(sha256);
      return blob;
    },
    maxSize: MAX_BLOB_BYTES,
    sizeOf: ({ bytes, gzip }) => bytes.length + (gzip?.length ?? 0) + 1,
    ttlMs: 0,
  });

  return {
    siteOf: (projectId) => sites.get(projectId),
    async blob(sha256) {
      const blob = await blobs.get(sha256);
      if (blob === undefined) throw new BlobGone(sha256);
      return blob;
    },
    evict(change) {
      if (!('projectId' in change)) return;
      sites.forget(change.projectId);
    },
    clear() {
      sites.clear();
    },
  };
}

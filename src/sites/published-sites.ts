import type { KeyChange } from '../api-keys/api-keys-store.js';
import type { SiteFile } from '../deploys/deploy.js';
import type { Blob, DeploysStore } from '../deploys/deploys-store.js';
import { createReadCache } from '../lib/read-cache.js';
import { slugUnder } from './site-address.js';

/** One deploy as its visitors get it. */
export interface PublishedSite {
  deployId: string;
  /** By path. */
  files: ReadonlyMap<string, SiteFile>;
}

/** What is published, as the requests of visitors read it: from memory for the most part. */
export interface PublishedSites {
  /** The id of the project whose site is at this host, whether it has been deployed or not. */
  projectAt(host: string): Promise<string | undefined>;
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
  projectOfSlug: (slug: string) => Promise<string | undefined>;
  platformHost: string;
  /** How old a site may grow in memory when no change is heard of, milliseconds. */
  ttlMs: number;
}

const MAX_HOSTS = 10_000;
/** Over all sites in memory; a file's entry is some 300 bytes. */
const MAX_LISTED_FILES = 100_000;
const MAX_BLOB_BYTES = 64 * 1024 * 1024;

export function createPublishedSites(parts: PublishedSitesParts): PublishedSites {
  const { deploys, platformHost, ttlMs } = parts;

  /** Which project a slug is of never changes: only that there is none does. */
  const projects = createReadCache<{ id: string }>({
    read: async (slug) => {
      const id = await parts.projectOfSlug(slug);
      return id === undefined ? undefined : { id };
    },
    maxSize: MAX_HOSTS,
    ttlMs,
  });
  const sites = createReadCache<PublishedSite>({
    read: async (projectId) => {
      const live = await deploys.liveSite(projectId);
      return live && { deployId: live.deployId, files: new Map(live.files.map((file) => [file.path, file])) };
    },
    maxSize: MAX_LISTED_FILES,
    sizeOf: ({ files }) => files.size + 1,
    ttlMs,
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
    async projectAt(host) {
      const slug = slugUnder(platformHost, host);
      return slug === undefined ? undefined : (await projects.get(slug))?.id;
    },
    siteOf: (projectId) => sites.get(projectId),
    async blob(sha256) {
      const blob = await blobs.get(sha256);
      if (blob === undefined) throw new BlobGone(sha256);
      return blob;
    },
    evict(change) {
      if (!('projectId' in change)) return;
      sites.forget(change.projectId);
      projects.forgetMissing();
    },
    clear() {
      sites.clear();
      projects.clear();
    },
  };
}

import type { SiteFile } from '../deploys/deploy.js';
import type { Blob } from '../deploys/deploys-store.js';
import { findFile } from './find-file.js';
import { BlobGone, type PublishedSite, type PublishedSites } from './published-sites.js';

export interface StoredFile {
  file: SiteFile;
  blob: Blob;
}

/** The result of looking up a path in a site, all of it from one deploy: the live one. */
export type Published =
  | ({ kind: 'file' } & StoredFile)
  /** The address of the intended file: a path, percent-encoded. */
  | { kind: 'elsewhere'; path: string }
  /** `page` is the site's own 404 page. */
  | { kind: 'nothing'; page: StoredFile | undefined }
  | { kind: 'no deploy' };

type Sites = Pick<PublishedSites, 'siteOf' | 'blob' | 'evict'>;

const NOT_FOUND_PAGE = '404.html';

/** @throws errors from the store */
export async function lookUp(sites: Sites, projectId: string, path: string): Promise<Published> {
  try {
    return await lookUpOnce(sites, projectId, path);
  } catch (error) {
    if (!(error instanceof BlobGone)) throw error;
    // The deploy in memory is no longer stored, so another deploy is live.
    sites.evict({ projectId });
    return lookUpOnce(sites, projectId, path);
  }
}

async function lookUpOnce(sites: Sites, projectId: string, path: string): Promise<Published> {
  const site = await sites.siteOf(projectId);
  if (site === undefined) return { kind: 'no deploy' };
  const stored = async (file: SiteFile) => ({ file, blob: await sites.blob(file.sha256) });
  const found = findFile(site.files, path);
  switch (found.kind) {
    case 'file':
      return { kind: 'file', ...(await stored(found.file)) };
    case 'elsewhere':
      return found;
    case 'nothing':
      return { kind: 'nothing', page: await notFoundPage(site, stored) };
  }
}

async function notFoundPage({ files }: PublishedSite, stored: (file: SiteFile) => Promise<StoredFile>) {
  const page = files.get(NOT_FOUND_PAGE);
  return page && stored(page);
}

import { whenKnown, type Awaitable } from '../../../lib/awaitable.js';
import type { SiteFile } from '../deploys/deploy.js';
import type { Blob } from '../deploys/deploys-store.js';
import { BlobGone, type PublishedSites } from './published-sites.js';

export interface StoredFile {
  file: SiteFile;
  blob: Blob;
}

/** What is found at a path of a site, all of it from one deploy: the live one. */
export type Published =
  | ({ kind: 'file' } & StoredFile)
  /** The page of a single-page application, for a path without a file. */
  | ({ kind: 'app' } & StoredFile)
  /** The address of the intended file: a path, percent-encoded. */
  | { kind: 'elsewhere'; path: string }
  /** `page` is the site's own 404 page. */
  | { kind: 'nothing'; page: StoredFile | undefined }
  | { kind: 'no deploy' };

type Sites = Pick<PublishedSites, 'siteOf' | 'blob' | 'evict'>;

const NOT_FOUND_PAGE = '404.html';
const APP_PAGE = 'index.html';
/** A missing script or picture must not become a page. */
const DOT = /\.|%2e/i;

/**
 * @param isNavigation whether a browser asks for a page to show, and not for a part of one
 * @throws errors from the store
 */
export function findPublished(
  sites: Sites,
  projectId: string,
  path: string,
  isNavigation: boolean,
): Awaitable<Published> {
  const published = findOnce(sites, projectId, path, isNavigation);
  // Only a read from the store can fail.
  if (!(published instanceof Promise)) return published;
  return published.catch((error: unknown) => {
    if (!(error instanceof BlobGone)) throw error;
    // The deploy in memory is no longer stored, so another deploy is live.
    sites.evict({ projectId });
    return findOnce(sites, projectId, path, isNavigation);
  });
}

function findOnce(
  sites: Sites,
  projectId: string,
  path: string,
  isNavigation: boolean,
): Awaitable<Published> {
  return whenKnown(sites.siteOf(projectId), (site): Awaitable<Published> => {
    if (site === undefined) return { kind: 'no deploy' };
    const stored = (file: SiteFile): Awaitable<StoredFile> =>
      whenKnown(sites.blob(site.deployId, file.sha256), (blob) => ({ file, blob }));
    const found = findFile(site.files, path);
    switch (found.kind) {
      case 'file':
        return whenKnown(stored(found.file), (file) => ({ kind: 'file', ...file }));
      case 'elsewhere':
        return found;
      case 'nothing': {
        const app =
          site.spa && isNavigation && !DOT.test(lastSegmentOf(path)) ? site.files.get(APP_PAGE) : undefined;
        if (app !== undefined) return whenKnown(stored(app), (file) => ({ kind: 'app', ...file }));
        const page = site.files.get(NOT_FOUND_PAGE);
        return whenKnown(page && stored(page), (stored) => ({ kind: 'nothing', page: stored }));
      }
    }
  });
}

function lastSegmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

type Found =
  | { kind: 'file'; file: SiteFile }
  /** The address of the intended file: a path, percent-encoded. */
  | { kind: 'elsewhere'; path: string }
  | { kind: 'nothing' };

const NOTHING: Found = { kind: 'nothing' };

/**
 * Finds the file that a URL path names, by the list of files alone. A file is served at its own path, `a.html` also at
 * `/a`, and `a/index.html` at `/a/`, with a redirect from `/a`.
 */
function findFile(files: ReadonlyMap<string, SiteFile>, path: string): Found {
  // The usual case: a path without encoding that is the file's own. No file has a path that needs more checks.
  const named = path.includes('%') ? undefined : files.get(path.slice(1));
  if (named !== undefined) return { kind: 'file', file: named };
  const segments = segmentsOf(path);
  if (segments === undefined) return NOTHING;
  const isFolder = segments.at(-1) === '';
  const name = segments.join('/').replace(/\/$/, '');

  if (isFolder) {
    const index = files.get(name === '' ? 'index.html' : `${name}/index.html`);
    if (index !== undefined) return { kind: 'file', file: index };
    return files.has(name) || files.has(`${name}.html`) ? elsewhere(name) : NOTHING;
  }
  const file = files.get(name) ?? files.get(`${name}.html`);
  if (file !== undefined) return { kind: 'file', file };
  return files.has(`${name}/index.html`) ? elsewhere(`${name}/`) : NOTHING;
}

/**
 * Splits the path, then decodes each segment once. Returns undefined if no file can have this path. The last segment of
 * a folder is empty.
 */
function segmentsOf(path: string): string[] | undefined {
  const encoded = path.split('/').slice(1);
  // An empty segment in between could turn a redirect path into an address of another host (`//host`).
  if (encoded.slice(0, -1).includes('')) return undefined;
  try {
    const segments = encoded.map((segment) => decodeURIComponent(segment).normalize('NFC'));
    const isPlain = (segment: string) => segment !== '.' && segment !== '..' && !/[/\\\0]/.test(segment);
    return segments.every(isPlain) ? segments : undefined;
  } catch {
    return undefined;
  }
}

function elsewhere(name: string): Found {
  return { kind: 'elsewhere', path: `/${name.split('/').map(encodeURIComponent).join('/')}` };
}

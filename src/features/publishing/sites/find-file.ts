import type { SiteFile } from '../deploys/deploy.js';

export type Found =
  | { kind: 'file'; file: SiteFile }
  /** Where the file that is meant is at: a path, percent-encoded. */
  | { kind: 'elsewhere'; path: string }
  | { kind: 'nothing' };

const NOTHING: Found = { kind: 'nothing' };

/**
 * What a path of an address names among a site's files. Nothing but their list is looked at. A file is at its own path;
 * `a.html` also at `/a`, and `a/index.html` at `/a/`, to which `/a` leads.
 */
export function findFile(files: ReadonlyMap<string, SiteFile>, path: string): Found {
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

/** Decoded once, and each by itself; undefined for what no file is named by. The last one of a folder is empty. */
function segmentsOf(path: string): string[] | undefined {
  const encoded = path.split('/').slice(1);
  // Empty ones in between would make an address out of a path that is redirected to.
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

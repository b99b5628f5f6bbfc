import type { SiteFile } from '../deploys/deploy.js';

export type Found =
  | { kind: 'file'; file: SiteFile }
  /** The address of the intended file: a path, percent-encoded. */
  | { kind: 'elsewhere'; path: string }
  | { kind: 'nothing' };

const NOTHING: Found = { kind: 'nothing' };

/**
 * Finds the file that a URL path names, by the list of files alone. A file is served at its own path, `a.html` also at
 * `/a`, and `a/index.html` at `/a/`, with a redirect from `/a`.
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

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { contentType } from 'mime-types';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import type { ServedFile } from '../../http/answers/served-file.js';

/** Where `npm run docs` puts the documentation site. The path is the same from src/ and from dist/. */
export const SITE_FOLDER = join(__dirname, '../../../dist/docs');

// VitePress sets style attributes for highlighted code, and its style sheet contains icons as data URLs.
const HEADERS = contentSecurityPolicy({
  'font-src': "'self' data:",
  'img-src': "'self' data:",
  'style-src': "'self' 'unsafe-inline'",
});
const INDEX = 'index.html';

/**
 * Reads the documentation site, by path; returns no files if it has not been built. All files are read at once, so that
 * a build made while the gateway runs takes effect at the next start.
 */
export function readDocsSite(folder: string): Readonly<Record<string, ServedFile>> {
  if (!existsSync(join(folder, INDEX))) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(folder, path).split(sep).join('/');
      const bytes = readFileSync(path);
      const type = contentType(entry.name) || 'application/octet-stream';
      // The names of all files in assets/ contain a hash of their content.
      return [
        urlOf(name),
        { contentType: type, read: () => bytes, headers: HEADERS, immutable: name.startsWith('assets/') },
      ];
    }),
  );
}

function urlOf(name: string): string {
  return name === INDEX ? '/docs' : `/docs/${name.replace(/\.html$/, '')}`;
}

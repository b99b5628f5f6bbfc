import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentType } from 'mime-types';
import type { ServedFile } from '../../http/answers/served-file.js';

/** The files of the dashboard in the browser. */
export interface PageFiles {
  index: ServedFile;
  /** By the name in the URL. */
  assets: ReadonlyMap<string, ServedFile>;
}

/** The folder where the build puts the page. The path is the same from src/ and from dist/. */
export const PAGE_FOLDER = join(__dirname, '../../../dist/dashboard/page');

/** The bundler's name for a file with a content hash: `main-AB12CD34.js`. */
const NAME_WITH_HASH = /-[0-9A-Z]{8}\.[a-z0-9]+$/;

/**
 * Reads the files of the build; returns undefined if there is no build. All files are read at once, so that a build
 * made while the gateway runs takes effect at the next start. Otherwise a page could be sent with files of another
 * build.
 */
export function findPageFiles(
  folder: string,
  headers: Readonly<Record<string, string>>,
): PageFiles | undefined {
  const file = (path: string, name: string): ServedFile => {
    const bytes = readFileSync(join(path, name));
    return {
      contentType: contentType(name) || 'application/octet-stream',
      read: () => bytes,
      headers,
      immutable: NAME_WITH_HASH.test(name),
    };
  };
  if (!namesIn(folder).includes('index.html')) return undefined;
  const assets = join(folder, 'assets');
  return {
    index: file(folder, 'index.html'),
    assets: new Map(namesIn(assets).map((name) => [name, file(assets, name)])),
  };
}

/** Returns the GraphQL documents that the page sends to /graphql, byte for byte; none if there is no build. */
export function findPageDocuments(folder = PAGE_FOLDER): string[] {
  if (!namesIn(folder).includes('documents.json')) return [];
  return JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8')) as string[];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentType } from 'mime-types';
import type { ServedFile } from '../../http/answers/served-file.js';

/** What the dashboard consists of in the browser. */
export interface PageFiles {
  index: ServedFile;
  /** By the name in the address. */
  assets: ReadonlyMap<string, ServedFile>;
}

/** Beside src/ and dist/ alike: where the build puts the page. */
export const PAGE_FOLDER = join(__dirname, '../../../dist/dashboard/page');

/** As the bundler names what it has made of its content: `main-AB12CD34.js`. */
const NAME_WITH_HASH = /-[0-9A-Z]{8}\.[a-z0-9]+$/;

/**
 * What the build made; undefined when it has not been run. All of it is read now: a build that is made while the
 * gateway runs is for its next start, or a page could come with the files of another.
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

/** What the page sends to /graphql, each to the byte; none when it has not been built. */
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

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentType } from 'mime-types';
import type { ServedFile } from '../http/served-file.js';

/** What the dashboard consists of in the browser. */
export interface PageFiles {
  index: ServedFile;
  /** By the name in the address. */
  assets: ReadonlyMap<string, ServedFile>;
}

/** Beside src/ and dist/ alike: where the build puts the page. */
export const PAGE_FOLDER = join(__dirname, '..', '..', 'dist', 'dashboard', 'page');

/** As the bundler names what it has made of its content: `main-AB12CD34.js`. */
const NAME_WITH_HASH = /-[0-9A-Z]{8}\.[a-z0-9]+$/;

/** What the build made; undefined when it has not been run. What is not listed now is not served. */
export function findPageFiles(
  folder: string,
  headers: Readonly<Record<string, string>>,
): PageFiles | undefined {
  const file = (name: string, ...path: readonly string[]): ServedFile => ({
    contentType: contentType(name) || 'application/octet-stream',
    read: () => readFile(join(folder, ...path, name)),
    headers,
    immutable: NAME_WITH_HASH.test(name),
  });
  if (!namesIn(folder).includes('index.html')) return undefined;
  const assets = namesIn(join(folder, 'assets')).map((name) => [name, file(name, 'assets')] as const);
  return { index: file('index.html'), assets: new Map(assets) };
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

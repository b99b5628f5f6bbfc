import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentType } from 'mime-types';
import type { ServedFile } from '../../http/answers/served-file.js';
import { barOf, plainPage, servedPlainPage } from './page.js';

/** The path is the same from src/ and from dist/, and in the package. */
const FOLDER = join(__dirname, '../../../docs');
const IMAGES = join(FOLDER, 'images');

/**
 * The pages of docs/ by path, rendered when they are first requested. They are for a gateway whose documentation site
 * has not been built: `/docs/errors` and the others lead somewhere on every gateway.
 */
export function plainDocs(): Readonly<Record<string, ServedFile>> {
  const pages = namesIn(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .map((name) =>
      name === 'README' ? ['/docs', plainDoc(name, '')] : [`/docs/${name}`, plainDoc(name, '../')],
    );
  const images = namesIn(IMAGES).map((name) => [
    `/docs/images/${name}`,
    {
      contentType: contentType(name) || 'application/octet-stream',
      read: () => readFile(join(IMAGES, name)),
    },
  ]);
  return Object.fromEntries([...pages, ...images]) as Record<string, ServedFile>;
}

function plainDoc(name: string, root: string): ServedFile {
  return servedPlainPage(async () => {
    const text = await readFile(join(FOLDER, `${name}.md`), 'utf8');
    const { renderMarkdown } = await import('./markdown.js');
    const title = /^# (.*)/m.exec(text)?.[1]?.replace(/[`<>&]/g, '') ?? name;
    return plainPage({
      title: `${title} | Animal Adoption Store`,
      root,
      body: `${barOf(root, 'docs')}
    <main>
      <p class="notice">This gateway was started without its documentation site, so pages are plain and have no search.
        To build the site, run <code>npm run docs</code> and restart the gateway.</p>
      ${renderMarkdown(text, root === '' ? 'docs/' : '')}
    </main>`,
    });
  });
}

/** Returns no names if there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

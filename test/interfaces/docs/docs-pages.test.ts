import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useGateway } from '../../support/gateway.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import { serveDocs } from './serve-docs.js';

/** The pages of docs/, where `npm run docs` has built the site and where it has not. */
const DOCS = join(__dirname, '../../../docs');

const gateway = useGateway();

const folder = useTemporaryFolder();
let docs: Awaited<ReturnType<typeof serveDocs>> | undefined;
afterEach(() => docs?.close());

const pagesOf = async () => (await readdir(DOCS)).filter((name) => name.endsWith('.md'));

describe('without a built site', () => {
  it('each page of docs/ is rendered, and says how to build the site', async () => {
    docs = await serveDocs(gateway, folder());
    for (const name of await pagesOf()) {
      const path = name === 'README.md' ? '/docs' : `/docs/${name.slice(0, -3)}`;
      const answer = await fetch(docs.url + path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      const html = await answer.text();
      const [, heading = ''] = /^# (.*)/m.exec(await readFile(join(DOCS, name), 'utf8')) ?? [];
      expect(html).toContain('<code>npm run docs</code>');
      expect(html).toContain(`>${heading.replaceAll('`', '')}</h1>`);
    }
  });

  it('each link inside docs/ leads to a page and, with a fragment, to a heading', async () => {
    docs = await serveDocs(gateway, folder());
    const broken: string[] = [];
    const html = new Map<string, string>();
    const read = async (path: string) => {
      const answer = await fetch(path);
      return answer.ok && answer.headers.get('content-type')?.startsWith('text/html') === true
        ? answer.text()
        : '';
    };
    for (const name of await pagesOf()) {
      const url = new URL(name === 'README.md' ? '/docs' : `/docs/${name.slice(0, -3)}`, docs.url).href;
      for (const [, href = ''] of (await read(url)).matchAll(/<a href="([^"]*)"/g)) {
        const target = new URL(href, url);
        const isPage = target.origin === docs.url && /^\/docs(|\/[\w-]+)$/.test(target.pathname);
        if (!isPage || target.pathname === '/docs/reference') continue;
        const path = target.origin + target.pathname;
        if (!html.has(path)) html.set(path, await read(path));
        const found = html.get(path) ?? '';
        if (found === '' || (target.hash !== '' && !found.includes(` id="${target.hash.slice(1)}"`)))
          broken.push(`${name}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('a link that leaves docs/ keeps only its text', async () => {
    docs = await serveDocs(gateway, folder());
    const html = await (await fetch(`${docs.url}/docs`)).text();
    expect(html).toMatch(/<span title="CONTRIBUTING\.md">contributing<\/span>/);
    expect(html).not.toContain('href="../CONTRIBUTING');
  });
});

describe('with a built site', () => {
  const BUILT = {
    'index.html': '<title>Start</title>',
    'graphql.html': '<title>GraphQL</title>',
    'reference.html': 'not the reference',
    'assets/app.AB12CD34.js': 'app',
    'vp-icons.css': 'icons',
  };
  const get = async (path: string) => {
    const answer = await fetch((docs?.url ?? '') + path);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  beforeEach(async () => {
    await mkdir(join(folder(), 'assets'), { recursive: true });
    for (const [name, text] of Object.entries(BUILT)) await writeFile(join(folder(), name), text);
    docs = await serveDocs(gateway, folder());
  });

  it.each([
    ['/docs', 'Start', 'text/html; charset=utf-8', 'public, no-cache'],
    ['/docs/graphql', 'GraphQL', 'text/html; charset=utf-8', 'public, no-cache'],
    ['/docs/vp-icons.css', 'icons', 'text/css; charset=utf-8', 'public, no-cache'],
    [
      '/docs/assets/app.AB12CD34.js',
      'app',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ],
  ])('%s is of the site', async (path, text, type, caching) => {
    const answer = await get(path);
    expect(answer.text).toContain(text);
    expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      type,
      caching,
    ]);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'self'; /);
  });

  it('a page that the site does not have yet is rendered', async () => {
    expect((await get('/docs/security')).text).toContain('<code>npm run docs</code>');
  });

  it('the site takes no path of the gateway', async () => {
    expect((await get('/docs/reference')).text).toContain('scalar.js');
  });
});

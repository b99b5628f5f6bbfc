import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/chromium.js';
import { startGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { isTooWide, LOOKS, openPage, shoot } from '../interfaces/docs/open-page.js';
import { serveDocs } from '../interfaces/docs/serve-docs.js';
import { renderMarkdown } from '../../src/interfaces/docs/markdown.js';

/** The documentation site as `npm run docs` builds it. */
const ROOT = join(__dirname, '../..');
const FINE = { elsewhere: [], complaints: [] };

const folder = useTemporaryFolder();

test('the site has every page, finds words, and looks the same on a phone and at night', async () => {
  const site = join(folder(), 'site');
  await mustRun(process.execPath, [join(ROOT, 'scripts/build-docs.mjs'), site], { cwd: ROOT });
  const pages = (await readdir(join(ROOT, 'docs'))).filter((name) => /^(?!README).*\.md$/.test(name));

  // The same headings have the same ids, so the same links work.
  const idsIn = (html: string) => Array.from(html.matchAll(/<h[1-6] id="([^"]+)"/g), ([, id]) => id);
  for (const name of pages) {
    const plain = renderMarkdown(await readFile(join(ROOT, 'docs', name), 'utf8'), '');
    const built = await readFile(join(site, name.replace('.md', '.html')), 'utf8');
    expect([name, idsIn(built)]).toEqual([name, idsIn(plain)]);
    expect(built).not.toMatch(/<script[^>]*>[^<]/);
  }

  const gateway = await startGateway();
  const docs = await serveDocs(gateway, site);
  const browser: Browser = await launchChromium();
  try {
    const start = await openPage(browser, `${docs.url}/docs`);
    const linked = await start.page.evaluate<string[]>(
      "[...document.querySelectorAll('.VPSidebar a')].map(({ href }) => href)",
    );
    const missing = pages.filter((name) => !linked.includes(`${docs.url}/docs/${name.slice(0, -3)}`));
    expect(missing).toEqual([]);

    await start.page.locator('.DocSearch-Button').click();
    await start.page.locator('.VPLocalSearchBox input').fill('strikes');
    await start.page.locator('.VPLocalSearchBox .result').first().waitFor();
    await shoot(start.page, 'site-search');
    await start.page.locator('.VPLocalSearchBox .result').first().click();
    await start.page.waitForURL((url) => url.pathname !== '/docs');
    await start.page.getByRole('link', { name: 'API reference' }).first().click();
    await start.page.waitForURL('**/docs/reference');
    expect(start).toMatchObject(FINE);
    await start.page.context().close();

    for (const look of LOOKS) {
      const { page, ...heard } = await openPage(browser, `${docs.url}/docs/graphql`, look);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await shoot(page, 'site');
      expect([look, await isTooWide(page)]).toEqual([look, false]);
      expect(heard).toEqual(FINE);
      await page.context().close();
    }
  } finally {
    await browser.close();
    await docs.close();
    await gateway.close();
  }
});

import type { Page } from 'playwright-core';
import { isTooWide, LOOKS, openPage, shoot } from '../interfaces/docs/open-page.js';
import { serveDocs } from '../interfaces/docs/serve-docs.js';
import { useChromium } from '../support/chromium.js';
import { seriousFaults } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const FINE = { elsewhere: [], complaints: [] };
const ADD_PET = 'tag/pets/POST/pets';

// Each page for people fits the window, can be read, and asks for nothing from elsewhere.

const browser = useChromium();
const gateway = useGateway();
const noSite = useTemporaryFolder();

describe.each(LOOKS.map((look) => [JSON.stringify(look), look] as const))('in %s', (_name, look) => {
  const open = (path: string) => openPage(browser(), gateway.url + path, look);

  test('the page at /', async () => {
    const { page, ...heard } = await open('');
    await shoot(page, 'home');
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFaults(page)).toEqual([]);
    expect(heard).toEqual(FINE);
    await page.context().close();
  });

  test('an operation in the API reference', async () => {
    const { page, ...heard } = await open(`/docs/reference#${ADD_PET}`);
    // Scalar renders an operation when it is near.
    await page.locator(`section[id$="${ADD_PET}"]`).getByText('Idempotency-Key').first().waitFor();
    await shoot(page, 'reference');
    expect(await isTooWide(page)).toBe(false);
    expect(heard).toEqual(FINE);
    await page.context().close();
  });

  test('the GraphQL editor, which says where the key belongs and links to the guide', async () => {
    const { page, ...heard } = await open('/graphql');
    await untilEditable(page);
    expect(await page.locator('.graphiql-editor-tool').innerText()).toContain('<API_KEY>');
    await shoot(page, 'graphiql');
    expect(await isTooWide(page)).toBe(false);
    const guide = await page.getByRole('link', { name: 'Guide' }).getAttribute('href');
    expect((await fetch(new URL(guide ?? '', page.url()))).status).toBe(200);
    expect(heard).toEqual(FINE);
    await page.context().close();
  });

  test('pages of docs/ without a built site', async () => {
    const docs = await serveDocs(gateway, noSite());
    try {
      for (const name of ['', '/graphql', '/dashboard']) {
        const { page, ...heard } = await openPage(browser(), `${docs.url}/docs${name}`, look);
        await shoot(page, `plain${name.replace('/', '-')}`);
        expect(await isTooWide(page)).toBe(false);
        expect(await seriousFaults(page)).toEqual([]);
        expect(heard).toEqual(FINE);
        await page.context().close();
      }
    } finally {
      await docs.close();
    }
  });
});

async function untilEditable(page: Page): Promise<void> {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-query-editor').getByText('Guide').waitFor();
}

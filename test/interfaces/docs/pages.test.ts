import type { Page } from 'playwright-core';
import { useChromium } from '../../support/chromium.js';
import { useGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { openPage, shoot } from './open-page.js';

const browser = useChromium();
const gateway = useGateway();

const FINE = { elsewhere: [], complaints: [] };

describe('the page at /', () => {
  test('leads to the dashboard, the reference, the editor and the docs', async () => {
    const { page } = await openPage(browser(), gateway.url);
    const titles: string[] = [];
    for (const name of ['Dashboard', 'API reference', 'GraphQL editor', 'Docs']) {
      await page.getByRole('link', { name }).click();
      await page.waitForURL((url) => url.pathname !== '/');
      titles.push(`${new URL(page.url()).pathname}: ${await page.title()}`);
      await page.goto(gateway.url);
    }
    expect(titles).toEqual([
      expect.stringMatching(/^\/dashboard/),
      '/docs/reference: API reference | Animal Adoption Store',
      '/graphql: GraphQL editor | Animal Adoption Store',
      expect.stringMatching(/^\/docs: Documentation \| /),
    ]);
    await page.context().close();
  });
});

describe('the API reference', () => {
  const referenceAt = (hash = '') => `${gateway.url}/docs/reference${hash}`;
  /** Scalar renders an operation when it is near. */
  const LIST = '#tag/pets/GET/pets';
  const ADD = '#tag/pets/POST/pets';
  const operation = (page: Page, hash: string) => page.locator(`section[id$="${hash.slice(1)}"]`);

  test('has samples in curl, TypeScript, Python and Go, for this gateway', async () => {
    const { page } = await openPage(browser(), referenceAt(ADD));
    await operation(page, ADD).getByText('Shell Curl').click();
    const choices = page.getByRole('option');
    await choices.first().waitFor();
    await shoot(page, 'reference-samples');
    // Go's and Python's are named after their library.
    expect(await choices.allInnerTexts()).toEqual(['TypeScript', 'NewRequest', 'Requests', 'Curl']);
    await choices.getByText('TypeScript').click();
    await operation(page, ADD).getByText(`'${gateway.url}/v1/pets'`).waitFor();
    await page.context().close();
  });

  test('calls the API with a key, exactly, and keeps the key for the session only', async () => {
    const { page, ...heard } = await openPage(browser(), referenceAt());
    const { secret } = await gateway.keyOn('free');
    await gateway.services.pets.create(
      { name: 'far', categoryId: 9007199254740993n, status: 'available' },
      undefined,
    );
    await page.getByPlaceholder('Token').first().fill(secret);
    // Scalar writes what changed a moment later.
    await until('the key in sessionStorage', async () =>
      (await page.evaluate<string>('JSON.stringify(sessionStorage)')).includes(secret),
    );
    await page.goto(referenceAt(LIST));
    await page.reload();
    await operation(page, LIST)
      .getByRole('button', { name: /Test Request/ })
      .click();
    await page.getByRole('button', { name: /^Send get request/ }).click();
    await page.getByText('200 OK').waitFor();
    await page.getByText('9007199254740993').waitFor();
    await shoot(page, 'reference-tried');

    const another = await page.context().newPage();
    await another.goto(referenceAt());
    await another.getByPlaceholder('Token').first().waitFor();
    expect(await another.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(secret);
    // On a page without the reference's script, localStorage is the browser's own.
    await another.goto(`${gateway.url}/docs/openapi.json`);
    expect(await another.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(secret);
    expect(heard).toEqual(FINE);
    await page.context().close();
  });
});

describe('the GraphQL editor', () => {
  test('knows the schema without a key, and answers a query with one', async () => {
    const { page, ...heard } = await openPage(browser(), `${gateway.url}/graphql`);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    const { secret } = await gateway.keyOn('free');
    // Pasted, as a person does: the editor closes every quote that is typed.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.url });
    const headers = JSON.stringify({ Authorization: `Bearer ${secret}` });
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(headers)})`);
    await page.locator('.graphiql-editor-tool .view-lines').last().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+V');
    await page.getByLabel('Execute query').click();
    await page.locator('.graphiql-response').getByText('"remaining"').first().waitFor();
    expect(await page.locator('.graphiql-response').innerText()).toMatch(/"remaining":\s58\b/);
    await shoot(page, 'graphiql-answered');

    expect(new URL(page.url()).search).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(secret);
    expect(heard).toEqual(FINE);
    await page.context().close();
  });

  test('keeps the queries of its tabs after a reload, edited or not', async () => {
    const { page } = await openPage(browser(), `${gateway.url}/graphql`);
    const tabs = page.getByRole('tab');
    const query = page.locator('.graphiql-query-editor .view-lines');
    const reload = async () => {
      // GraphiQL stores its tabs half a second after a change.
      await until('stored tabs', async () =>
        (await page.evaluate<string>('JSON.stringify({ ...localStorage })')).includes('tabState'),
      );
      await page.waitForTimeout(700);
      await page.reload();
      await query.getByText('query').first().waitFor();
    };
    await query.getByText('FirstPets').waitFor();
    await reload();
    expect(await tabs.allInnerTexts()).toEqual(['FirstPets']);
    await query.getByText('FirstPets').waitFor();
    await page.locator('.graphiql-editor-tool').getByText('<API_KEY>').waitFor();

    await query.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Mine { plans { id } }');
    await page.getByRole('tab', { name: 'Mine' }).waitFor();
    await reload();
    expect(await tabs.allInnerTexts()).toEqual(['Mine']);
    await query.getByText('Mine').waitFor();
    await page.context().close();
  });

  test.each([
    [1280, 720],
    [390, 844],
  ])('fits a window of %i × %i, and its editor stays wide enough', async (width, height) => {
    const { page } = await openPage(browser(), `${gateway.url}/graphql`);
    await page.setViewportSize({ width, height });
    const query = page.locator('.graphiql-query-editor');
    await query.getByText('FirstPets').waitFor();
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.locator('.graphiql-plugin').getByText('Query').first().waitFor();
    await shoot(page, `graphiql-docs-${width}`);
    expect(
      await page.evaluate('[document.documentElement.scrollHeight, document.documentElement.scrollWidth]'),
    ).toEqual([height, width]);
    const box = await query.boundingBox();
    expect(box?.width).toBeGreaterThan(250);
    await page.context().close();
  });
});

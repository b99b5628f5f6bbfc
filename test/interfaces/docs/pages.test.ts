import { type Browser, type Page } from 'playwright-core';
import { launchChromium } from '../../support/chromium.js';
import { startGateway } from '../../support/gateway.js';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway(), launchChromium()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

/** Opens the page; what it asked others for and what it complained about is collected. */
async function open(path: string): Promise<{ page: Page; elsewhere: string[]; complaints: string[] }> {
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== gateway.url && protocol !== 'data:') elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(gateway.url + path);
  return { page, elsewhere, complaints };
}

/** For looking at the pages: SCREENSHOTS names a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

test('the reference shows the three operations, and tries one out with a key', async () => {
  const { page, elsewhere, complaints } = await open('/docs');
  await page.getByText('Get an animal').waitFor();
  const shown = await page
    .locator('.opblock-summary-path, .opblock-summary-path__deprecated')
    .allInnerTexts();
  expect(shown.map((text) => text.replace(/\u200b/g, ''))).toEqual(['/pets', '/pets', '/pets/{petId}']);
  expect(await page.locator('.opblock-deprecated').count()).toBe(1);
  await shoot(page, 'reference');

  await page.locator('#operations-pets-getPet .opblock-summary-control').click();
  await page.getByText('removed on 5 December 2030').first().waitFor();
  await page.locator('#operations-pets-getPet').getByText('x-stability').scrollIntoViewIfNeeded();
  await shoot(page, 'reference-get-pet');

  const { secret } = await gateway.keyOn('free');
  await gateway.services.pets.create({ name: 'far', categoryId: 9007199254740993n, status: 'sold' });
  await page.locator('.auth-wrapper .authorize').click();
  await page.locator('.auth-container input').fill(secret);
  await page.locator('.auth-btn-wrapper .authorize').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
  await page.locator('#operations-pets-listPets .opblock-summary-control').click();
  await page.locator('#operations-pets-listPets .try-out__btn').click();
  await page.locator('#operations-pets-listPets .execute').click();
  await page
    .locator('#operations-pets-listPets .live-responses-table .response-col_status')
    .first()
    .waitFor();
  expect(
    await page.locator('.live-responses-table .response .response-col_status').first().innerText(),
  ).toMatch(/^200/);
  const body = page.locator(
    '#operations-pets-listPets .live-responses-table tbody .response-col_description',
  );
  expect(await body.first().innerText()).toContain('9007199254740993');
  await body.first().scrollIntoViewIfNeeded();
  await shoot(page, 'reference-tried');
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  await page.close();
});

test('GraphiQL knows the schema without a key, and answers a query with one', async () => {
  const { page, elsewhere, complaints } = await open('/graphql');
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await shoot(page, 'graphiql');

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
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  await page.close();
});

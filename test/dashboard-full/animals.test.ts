import type { Browser, Page } from 'playwright-core';
import type { NewPet } from '../../src/features/pets/pet.js';
import { launchChromium } from '../support/chromium.js';
import { copy, openDashboard, seriousFaults, type OpenedDashboard } from '../support/dashboard.js';
import { startGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { mustRun } from '../support/run-program.js';

/** Pets, as owners and admins browse and add them in a browser. */
const PAST_2_53 = 9_007_199_254_740_993n;
const HOSTILE = '<img src="/nowhere" onerror="document.title=1"> & \'co\'';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let owner: string;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway(), launchChromium()]);
  ({ secret: owner } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' }));
  // 25 are available, 10 pending, 5 sold; the hostile one is the first, and the last has the large category.
  await gateway.services.petsStore.insertMany(
    Array.from({ length: 40 }, (_, at): NewPet => ({
      name: at === 0 ? HOSTILE : `Pet number ${at}`,
      categoryId: at === 39 ? PAST_2_53 : 7n,
      status: at < 25 ? 'available' : at < 35 ? 'pending' : 'sold',
    })),
  );
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

let opened: OpenedDashboard | undefined;
afterEach(async () => {
  await opened?.page.context().close();
  // Nothing came from elsewhere, and the browser did not complain.
  expect([opened?.elsewhere, opened?.complaints]).toEqual([[], []]);
});

async function open(search = ''): Promise<Page> {
  // Colours that fade are none that axe could measure.
  const options = { apiKey: owner, path: `/dashboard/pets${search}`, reducedMotion: 'reduce' } as const;
  opened = await openDashboard(browser, gateway, options);
  await opened.page.getByRole('heading', { name: 'Pets', level: 1 }).waitFor();
  return opened.page;
}

const searchOf = (page: Page) => new URL(page.url()).search;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The rows as they are once the table has this caption and is no longer of the list before: all cells of each. */
async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  const cells = page.getByRole('table', { name: caption, exact: true }).getByRole('cell');
  await cells.first().waitFor();
  await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' });
  const texts = await cells.allTextContents();
  return Array.from({ length: texts.length / 4 }, (_, row) => texts.slice(row * 4, row * 4 + 4));
}
const statusesOf = (rows: string[][]) => new Set(rows.map(([, , , status]) => status));

test('filters by status; the address, back, forward and a reload keep the filter', async () => {
  const page = await open();
  expect(await rowsOf(page, 'Pets')).toHaveLength(20);
  await page.getByLabel('Status').selectOption('sold');
  const sold = await rowsOf(page, 'Pets that are sold');
  expect([sold.length, statusesOf(sold), searchOf(page)]).toEqual([5, new Set(['sold']), '?status=sold']);
  await page.getByLabel('Status').selectOption('pending');
  expect(await rowsOf(page, 'Pets that are pending')).toHaveLength(10);

  await page.goBack();
  expect(await rowsOf(page, 'Pets that are sold')).toEqual(sold);
  expect(await page.getByLabel('Status').inputValue()).toBe('sold');
  await page.goForward();
  await page.reload();
  expect(statusesOf(await rowsOf(page, 'Pets that are pending'))).toEqual(new Set(['pending']));
});

test('pages continue where the previous page ended, each pet once; another filter starts at its first page', async () => {
  const page = await open('?status=available');
  const first = await rowsOf(page, 'Pets that are available');
  await button(page, 'Next').click();
  await page.getByText('Page 2').waitFor();
  const second = await rowsOf(page, 'Pets that are available');
  expect([first.length, second.length]).toEqual([20, 5]);
  expect(new Set([...first, ...second].map(([id]) => id)).size).toBe(25);
  expect(await button(page, 'Next').isDisabled()).toBe(true);

  await page.getByLabel('Status').selectOption('');
  expect((await rowsOf(page, 'Pets'))[0]).toEqual(first[0]);
  await page.getByText('Page 1').waitFor();
});

test('shows every name as text', async () => {
  const page = await open();
  const [[, name] = []] = await rowsOf(page, 'Pets');
  expect(name).toBe(HOSTILE);
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.title()).toBe('Pets · Pets dashboard');
});

test('adds a pet exactly, shows errors of the API at the fields, and then shows the pet', async () => {
  const page = await open('?status=sold');
  await button(page, 'Add pet').click();
  const dialog = page.getByRole('dialog', { name: 'Add pet' });
  const [name, category] = [dialog.getByLabel('Name'), dialog.getByLabel('Category')];
  expect(await dialog.getByLabel('Status').inputValue()).toBe('available');

  await category.fill('9223372036854775808');
  await dialog.getByRole('button', { name: 'Add pet' }).click();
  await dialog.getByText('must be an integer from -2^63 to 2^63-1').waitFor();
  expect(await category.getAttribute('aria-invalid')).toBe('true');
  await dialog.locator('[name=categoryId]:focus').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousFaults(page)).toEqual([]);
  }

  await category.fill(String(PAST_2_53));
  await dialog.getByRole('button', { name: 'Add pet' }).click();
  await dialog.getByText('Must not be blank.').waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');

  await name.fill(HOSTILE);
  await dialog.getByRole('button', { name: 'Add pet' }).click();
  await dialog.waitFor({ state: 'detached' });
  const id = new URL(page.url()).searchParams.get('id') ?? '';
  expect(await rowsOf(page, `Pet ${id}`)).toEqual([[id, HOSTILE, String(PAST_2_53), 'available']]);
  const stored = await gateway.request(`/v1/pets/${id}`, { key: owner });
  expect(await stored.text()).toContain(`"categoryId":${PAST_2_53}`);
});

test('finds a pet by its id; distinguishes a missing pet from an invalid id', async () => {
  const page = await open();
  const last = (await rowsOf(page, 'Pets')).at(-1) ?? [];
  const lookUp = page.getByLabel('Find by ID');
  await lookUp.fill(` ${last[0] ?? ''} `);
  expect(await rowsOf(page, `Pet ${last[0] ?? ''}`)).toEqual([last]);
  await lookUp.fill('9223372036854775807');
  await page.getByText('No pet has the ID 9223372036854775807.').waitFor();
  await lookUp.fill('rex');
  await page.getByText('must be an integer from -2^63 to 2^63-1; received the string "rex"').waitFor();
  await button(page, 'Show all pets').click();
  expect(await rowsOf(page, 'Pets')).toHaveLength(20);
});

test('the API calls of the page work when they are pasted into a terminal', async () => {
  const page = await open('?status=pending');
  const shown = await rowsOf(page, 'Pets that are pending');
  await page.getByText('API calls behind this page').click();
  const run = (command: string) => mustRun('sh', ['-c', command], { env: { API_KEY: owner } });
  const idsIn = (body: string) => Array.from(body.matchAll(/"id":"?(\d+)/g), ([, id]) => id);
  for (const name of ['REST', 'GraphQL'])
    expect(idsIn(await run(await copy(page, `List these pets over ${name}`)))).toEqual(
      shown.map(([id]) => id),
    );

  await button(page, 'Add pet').click();
  const dialog = page.getByRole('dialog', { name: 'Add pet' });
  await dialog.getByLabel('Name').fill("O'Malley $HOME");
  await dialog.getByLabel('Category').fill(String(PAST_2_53));
  await dialog.getByLabel('Status').selectOption('sold');
  await button(page, 'Cancel').click();
  expect(JSON.parse(await run(await copy(page, 'Add a pet over REST')))).toMatchObject({
    name: "O'Malley $HOME",
    status: 'sold',
  });
  expect(JSON.parse(await run(await copy(page, 'Add a pet over GraphQL')))).toMatchObject({
    data: { createPet: { name: "O'Malley $HOME", categoryId: String(PAST_2_53), status: 'sold' } },
  });
});

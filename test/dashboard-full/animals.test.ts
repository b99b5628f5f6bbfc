import type { Browser, Page } from 'playwright-core';
import type { NewPet } from '../../src/features/pets/pet.js';
import { launchChromium } from '../support/chromium.js';
import { openDashboard, seriousFaults, type OpenedDashboard } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';

/** A shelter's daily work with its animals, in a browser. */
const PAST_2_53 = 9_007_199_254_740_993n;
const HOSTILE = '<img src="/nowhere" onerror="document.title=1"> & \'co\'';

const gateway = useGateway();
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

let opened: OpenedDashboard | undefined;
afterEach(async () => {
  await opened?.page.context().close();
  expect([opened?.elsewhere, opened?.complaints]).toEqual([[], []]);
});

const pet = (name: string, more: Partial<NewPet> = {}): NewPet => ({
  name,
  categoryId: 7n,
  status: 'available',
  ...more,
});

/** Opens the animals of a new project that has these. */
async function open(pets: readonly NewPet[], path = '') {
  const { apiKey, secret } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const stored = pets.length > 0 ? await gateway.services.petsStore.insertMany(pets, projectId) : [];
  opened = await openDashboard(browser, gateway, {
    apiKey: secret,
    path: `/dashboard/projects/${projectId}/animals${path}`,
  });
  return { page: opened.page, projectId, stored };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const storedAs = async (id: bigint | undefined) => gateway.services.pets.get(id ?? 0n).catch(() => undefined);

test('adds one after the other with the same category, exactly, and shows each name as text', async () => {
  const { page } = await open([]);
  await page.getByText('No animals yet').waitFor();
  await button(page, 'Add animal').first().click();
  const dialog = page.getByRole('dialog', { name: 'Add animal' });
  await dialog.getByLabel('Category').fill(String(PAST_2_53));
  await button(page, 'Add another').click();
  await dialog.getByText('Must not be blank.').waitFor();
  await dialog.getByLabel('Name').fill(HOSTILE);
  await button(page, 'Add another').click();
  await dialog.getByText('Added 1 animal.').waitFor();
  await dialog.getByLabel('Name').fill('Luna');
  await page.keyboard.press('Enter');
  await dialog.getByText('Added 2 animals.').waitFor();
  await button(page, 'Close').last().click();
  await page.getByText('2 animals', { exact: true }).waitFor();
  const cells = await page.getByRole('cell').allTextContents();
  expect(cells.filter((text) => text === String(PAST_2_53))).toHaveLength(2);
  expect(cells.some((text) => text.startsWith(HOSTILE))).toBe(true);
});

test('finds by name, changes the status in the row, edits, and removes after naming the animal', async () => {
  const { page, stored } = await open([pet('Luna'), pet('Rex'), pet('Lunatic', { status: 'sold' })]);
  await page.getByLabel('Name').fill('LUNA');
  await page.getByText('2 animals match').waitFor();
  await page.getByRole('button', { name: 'Status of Luna: Available' }).click();
  await page.getByRole('menuitemradio', { name: 'Reserved' }).click();
  await page.getByText('Luna is Reserved now.').first().waitFor();
  expect(await storedAs(stored[0]?.id)).toMatchObject({ status: 'pending' });

  await button(page, 'Edit Luna').click();
  const edit = page.getByRole('dialog', { name: 'Edit Luna' });
  await edit.getByLabel('Name').fill('Lunetta');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  expect(await storedAs(stored[0]?.id)).toMatchObject({ name: 'Lunetta', status: 'pending' });

  await button(page, 'Remove Lunatic').click();
  const removal = page.getByRole('dialog', { name: 'Remove Lunatic?' });
  expect(await seriousFaults(page)).toEqual([]);
  await removal.getByRole('button', { name: 'Remove animal' }).click();
  await removal.waitFor({ state: 'detached' });
  expect(await storedAs(stored[2]?.id)).toBeUndefined();
});

test('a change by somebody else is shown and not overwritten, in the row and in the dialog', async () => {
  const { page, projectId, stored } = await open([pet('Luna')]);
  const id = stored[0]?.id ?? 0n;
  await page.getByRole('button', { name: 'Edit Luna' }).waitFor();
  const change = (changes: Partial<NewPet>) => gateway.services.petsStore.update(id, changes, { projectId });
  await change({ status: 'sold' });
  await page.getByRole('button', { name: 'Status of Luna: Available' }).click();
  await page.getByRole('menuitemradio', { name: 'Reserved' }).click();
  await page.getByText('Somebody else changed this animal in the meantime').waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  expect(await storedAs(id)).toMatchObject({ status: 'sold' });
  await button(page, 'Leave as it is now').click();
  await page.getByRole('button', { name: 'Status of Luna: Adopted' }).waitFor();

  await button(page, 'Edit Luna').click();
  await change({ name: 'Lina' });
  const edit = page.getByRole('dialog');
  await edit.getByLabel('Name').fill('Lena');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.getByText('the name became Lina').waitFor();
  expect(await storedAs(id)).toMatchObject({ name: 'Lina' });
  await button(page, 'Save my changes').click();
  await edit.waitFor({ state: 'detached' });
  expect(await storedAs(id)).toMatchObject({ name: 'Lena', status: 'sold' });
});

test('changes and removes several at once', async () => {
  const { page, stored } = await open([pet('A'), pet('B'), pet('C')]);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Set the status of 3 animals' }).click();
  await page.getByRole('menuitem', { name: 'Adopted' }).click();
  await button(page, 'Mark as Adopted').click();
  await page.getByText('3 animals are Adopted now.').first().waitFor();
  await page.getByLabel('Select A', { exact: true }).uncheck();
  await button(page, 'Remove 2 animals').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove 2 animals' }).click();
  await page.getByText('Removed 2 animals.').first().waitFor();
  expect(await Promise.all(stored.map(({ id }) => storedAs(id)))).toMatchObject([
    { name: 'A', status: 'sold' },
    undefined,
    undefined,
  ]);
});

test('imports a file after it showed what would change, with the rejected lines', async () => {
  const { page } = await open([], '/import');
  const csv = 'externalId,name,categoryId,status\nA-1,Luna,1,available\nA-2,,1,sold\nA-3,Rex,2,pending\n';
  const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await button(page, 'Check the file').click();
  await page.getByText('Check what would change').waitFor();
  const rejected = page.getByRole('table', { name: 'Rejected lines' }).getByRole('row').last();
  expect(await rejected.getByRole('cell').first().textContent()).toBe('3');
  expect(await seriousFaults(page)).toEqual([]);
  await button(page, 'Import: change 2 animals').click();
  await page.getByRole('link', { name: 'Show the animals' }).click();
  await page.getByText('2 animals', { exact: true }).waitFor();
});

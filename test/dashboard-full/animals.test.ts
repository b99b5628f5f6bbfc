import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { NewPet } from '../../src/features/pets/pet.js';
import { useChromium } from '../support/chromium.js';
import { copy, drop, openDashboard, seriousFaults, type OpenedDashboard } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { mustRun } from '../support/run-program.js';

/** A shelter's daily work with its animals, in a browser. */
const PAST_2_53 = 9_007_199_254_740_993n;
const HOSTILE = '<img src="/nowhere" onerror="document.title=1"> & \'co\'';

const gateway = useGateway();
const browser = useChromium();

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
  opened = await openDashboard(browser(), gateway, {
    apiKey: secret,
    path: `/dashboard/projects/${projectId}/animals${path}`,
  });
  return { page: opened.page, projectId, stored, secret };
}

/** The names on the page once the list is complete, from top to bottom. */
async function namesIn(page: Page): Promise<string[]> {
  const names = page.locator('.animal-table .named .name');
  await names.first().waitFor();
  await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' });
  return names.allTextContents();
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

test('Enter adds the first animal too, and the dialog stays for the next one', async () => {
  const { page } = await open([]);
  await page.getByText('No animals yet').waitFor();
  // With nothing to find, the fields of the filters would look like the form to add an animal.
  expect(await page.getByRole('search').count()).toBe(0);
  await button(page, 'Add animal').first().click();
  const dialog = page.getByRole('dialog', { name: 'Add animal' });
  await page.keyboard.type('Bella');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter a whole number of at most 18 digits, such as 1.').waitFor();
  expect(await dialog.getByText('2^63').count()).toBe(0);
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await dialog.getByText('Added 1 animal.').waitFor();
  await page.keyboard.type('Rex');
  await page.keyboard.press('Enter');
  await dialog.getByText('Added 2 animals.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('search').waitFor();
  expect(await namesIn(page)).toEqual(['Rex', 'Bella']);
});

test('the menu of the status works with the keyboard', async () => {
  const { page, stored } = await open([pet('Luna')]);
  const status = page.getByRole('button', { name: /^Status of Luna/ });
  const focused = () => page.evaluate<string | null>('document.activeElement.textContent');
  await status.focus();
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Available');
  const visited: (string | null)[] = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End']) {
    await page.keyboard.press(key);
    visited.push(await focused());
  }
  expect(visited).toEqual(['Reserved', 'Adopted', 'Available', 'Adopted', 'Available', 'Adopted']);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Status of Luna: Available');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(await storedAs(stored[0]?.id)).toMatchObject({ status: 'available' });
  await status.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Status of Luna: Adopted' }).waitFor();
  expect(await storedAs(stored[0]?.id)).toMatchObject({ status: 'sold' });
});

test('a key pressed before the browser painted the opened menu moves from there', async () => {
  const { page } = await open([pet('Luna')]);
  await page.getByRole('button', { name: 'Status of Luna: Available' }).waitFor();
  // Waits for no frame: two keys can arrive together on a busy computer.
  const pressed = await page.evaluate(`(async () => {
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    document.querySelector('[aria-label^="Status of Luna"]').focus();
    document.activeElement.click();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    press('End');
    await new Promise((resolve) => setTimeout(resolve, 200));
    return document.activeElement.textContent;
  })()`);
  expect(pressed).toBe('Adopted');
});

test('on a phone, a message covers no button of a row, and the buttons stay while the time gets longer', async () => {
  const { page } = await open(Array.from({ length: 20 }, (_, at) => pet(`Animal ${at}`)));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Status of Animal 12: Available' }).click();
  await page.getByRole('menuitemradio', { name: 'Reserved' }).click();
  const message = page.locator('.toast', { hasText: 'Animal 12 is Reserved now.' });
  await message.waitFor();
  const { y = -1, height = 0 } = (await message.boundingBox()) ?? {};
  const header = await page.getByRole('banner').boundingBox();
  expect([y >= 0, y + height <= (header?.height ?? 0)]).toEqual([true, true]);
  const placeWith = async (time: string) => {
    const change =
      'for (const shown of document.querySelectorAll(".animal-table time")) shown.textContent = ';
    await page.evaluate(`${change}'${time}'`);
    return button(page, 'Edit Animal 12').boundingBox();
  };
  expect(await placeWith('59 minutes ago')).toEqual(await placeWith('now'));
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
  await edit.getByRole('button', { name: 'Discard my changes' }).waitFor();
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

test.each([
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
])('the actions for selected animals stay in sight at the end of a long list, $width wide', async (size) => {
  const { page } = await open(Array.from({ length: 20 }, (_, at) => pet(`Animal ${at}`)));
  await page.setViewportSize(size);
  for (const at of [-1, -2])
    await page
      .getByRole('checkbox', { name: /^Select Animal/ })
      .nth(at)
      .check();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  const remove = button(page, 'Remove 2 animals');
  const { x, y, width, height } = (await remove.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  const top = `document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.closest('button')?.textContent`;
  expect(await page.evaluate(top)).toBe('Remove 2 animals');
  if (size.width > 1000) {
    const header = await page.getByRole('columnheader', { name: 'Status' }).boundingBox();
    expect(header?.y).toBeGreaterThanOrEqual(y + height);
  }
  await page.getByText('2 selected', { exact: true }).waitFor();
  await remove.click();
  await page.getByRole('dialog', { name: 'Remove 2 animals?' }).waitFor();
});

test('of two animals with the same name, the dialog shows by its ID which one is removed', async () => {
  const { page, stored } = await open([pet('Luna'), pet('Luna')]);
  const [first] = stored;
  await page
    .getByRole('row')
    .filter({ hasText: `ID ${first?.id}` })
    .getByText('Remove')
    .click();
  const removal = page.getByRole('dialog', { name: 'Remove Luna?' });
  await removal.getByText(`ID ${first?.id}`, { exact: true }).waitFor();
  await removal.getByRole('button', { name: 'Remove animal' }).click();
  await removal.waitFor({ state: 'detached' });
  expect(await storedAs(first?.id)).toBeUndefined();
});

test('a file that changes nothing says so, with and without rejected lines', async () => {
  const { page } = await open([], '/import');
  const choose = (csv: string) =>
    page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await choose('externalId;name;categoryId\nA-1;Müsli;1\n');
  await button(page, 'Check the file').click();
  await button(page, 'Import: add 1').click();
  await button(page, 'Import another file').click();
  await choose('externalId;name;categoryId\nA-0;Wrong;dog\nA-1;Müsli;1\n');
  await button(page, 'Check the file').click();
  await page.getByText('There is nothing to import: no line in the file changes an animal.').waitFor();
  expect(await page.getByRole('table', { name: 'Rejected lines' }).getByRole('row').count()).toBe(2);
  await button(page, 'Change the file or the choices').click();
  await choose('externalId;name;categoryId\nA-1;Müsli;1\n');
  await button(page, 'Check the file').click();
  await page.getByText('There is nothing to import: no line in the file changes an animal.').waitFor();
});

test('imports a file after it showed what would change, with the rejected lines', async () => {
  const { page } = await open([], '/import');
  const csv = 'externalId,name,categoryId,status\nA-1,Luna,1,available\nA-2,,1,sold\nA-3,Rex,2,pending\n';
  const file = { name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await button(page, 'Check the file').click();
  await page.getByText('Check what would change').waitFor();
  const rejected = page.getByRole('table', { name: 'Rejected lines' }).getByRole('row').last();
  expect(await rejected.getByRole('cell').first().textContent()).toBe('Line 3');
  expect(await seriousFaults(page)).toEqual([]);
  await button(page, 'Import: add 2').click();
  await page.getByRole('link', { name: 'Show the animals' }).click();
  await page.getByText('2 animals', { exact: true }).waitFor();
});

test('pages hold each animal once; the address, back and a reload keep the filters', async () => {
  const { page } = await open(
    Array.from({ length: 25 }, (_, at) => pet(`Animal ${at}`, { status: at < 22 ? 'available' : 'sold' })),
  );
  const first = await namesIn(page);
  await page.getByText('Page 1 of 2').waitFor();
  await button(page, 'Next').click();
  await page.getByText('Page 2 of 2').waitFor();
  const second = await namesIn(page);
  expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([20, 5, 25]);
  expect(await button(page, 'Next').isDisabled()).toBe(true);

  await page.getByLabel('Status', { exact: true }).selectOption('sold');
  await page.getByText('3 animals match').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('animal 24');
  await page.getByText('1 animal matches').waitFor();
  expect(new URL(page.url()).search).toBe('?name=animal+24&status=sold');
  await page.reload();
  expect(await namesIn(page)).toEqual(['Animal 24']);
  await page.goBack();
  await page.getByText('3 animals match').waitFor();
  expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('sold');
  await page.goBack();
  await page.getByText('25 animals', { exact: true }).waitFor();
});

test('finds an animal by its ID, and distinguishes another ID from an invalid one', async () => {
  const { page, stored } = await open([pet('Luna'), pet('Rex')]);
  await page.getByText('2 animals', { exact: true }).waitFor();
  await page.getByLabel('ID', { exact: true }).fill(` ${stored[0]?.id} `);
  await page.getByText('1 animal matches').waitFor();
  expect(await namesIn(page)).toEqual(['Luna']);
  await page.getByLabel('ID', { exact: true }).fill('9223372036854775807');
  await page.getByText('No animals match these filters').waitFor();
  await page.getByLabel('ID', { exact: true }).fill('rex');
  await page.getByText('must be an integer from -2^63 to 2^63-1; received the string "rex"').waitFor();
});

test('finds an animal by its whole own number, on a phone too, and names the one call that does', async () => {
  const { page, projectId, secret } = await open([pet('Rex')]);
  const { petsStore } = gateway.services;
  const createdAt = new Date();
  for (const [name, externalId] of [
    ['Luna', 'A-17'],
    ['Lunatic', 'A-170'],
  ] as const)
    await petsStore.insert({
      id: await petsStore.reserveId(),
      ...pet(name),
      projectId,
      externalId,
      createdAt,
    });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await button(page, 'More filters').click();
  const field = page.getByLabel('Own number', { exact: true });
  await field.fill(' A-17 ');
  await page.getByText('1 animal matches').waitFor();
  expect(await namesIn(page)).toEqual(['Luna']);
  expect(new URL(page.url()).searchParams.get('number')).toBe(' A-17 ');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await seriousFaults(page)).toEqual([]);

  await page.getByText('API calls behind this page').click();
  expect(await page.getByText('List these animals over REST, oldest first').count()).toBe(0);
  const call = await copy(page, 'List these animals over GraphQL');
  expect(JSON.parse(await mustRun('sh', ['-c', call], { env: { API_KEY: secret } }))).toMatchObject({
    data: { petsConnection: { totalCount: 1, edges: [{ node: { name: 'Luna', externalId: 'A-17' } }] } },
  });

  await field.fill('A-1');
  await page.getByText('Enter the whole own number, as your shelter’s software writes it').waitFor();
  await button(page, 'Clear filters').click();
  await page.getByText('3 animals', { exact: true }).waitFor();
  expect(await field.inputValue()).toBe('');
});

test('the catalogue of all projects has no filter by own number', async () => {
  const { page } = await open([pet('Luna')]);
  await page.goto(`${gateway.url}/dashboard/catalogue?number=A-17`);
  await page.getByRole('search').waitFor();
  expect(await page.getByLabel('Own number', { exact: true }).count()).toBe(0);
  expect(await namesIn(page)).toContain('Luna');
});

test('the API calls of the page work when they are pasted into a terminal', async () => {
  const { page, secret } = await open([pet('Luna', { status: 'sold' }), pet('Rex')], '?status=available');
  await page.getByText('1 animal matches').waitFor();
  await page.getByText('API calls behind this page').click();
  const run = async (call: string): Promise<unknown> => {
    const printed = await mustRun('sh', ['-c', await copy(page, call)], { env: { API_KEY: secret } });
    return printed === '' ? undefined : JSON.parse(printed);
  };
  const rex = expect.objectContaining({ name: 'Rex' }) as unknown;
  expect(await run('List these animals over REST, oldest first')).toEqual([rex]);
  expect(await run('List these animals over GraphQL')).toMatchObject({
    data: { petsConnection: { edges: [{ node: { name: 'Rex' } }] } },
  });
  expect(await run('Reserve an animal over GraphQL, if its status is unchanged')).toMatchObject({
    data: { updatePet: { pet: { name: 'Rex', status: 'pending' } } },
  });
  expect(await run('Reserve an animal over REST')).toMatchObject({ name: 'Rex', status: 'pending' });

  await button(page, 'Add animal').click();
  const dialog = page.getByRole('dialog', { name: 'Add animal' });
  await dialog.getByLabel('Name').fill("O'Malley $HOME");
  await dialog.getByLabel('Category').fill(String(PAST_2_53));
  await dialog.getByLabel('Status').selectOption('sold');
  await button(page, 'Cancel').click();
  const added = { name: "O'Malley $HOME", status: 'sold' };
  expect(await run('Add an animal over REST')).toMatchObject(added);
  expect(await run('Add an animal over GraphQL')).toMatchObject({
    data: { createPet: { ...added, categoryId: String(PAST_2_53) } },
  });
  expect(await run('Remove an animal over REST')).toBeUndefined();
  expect(await run('Remove an animal over GraphQL')).toMatchObject({
    errors: [{ extensions: { code: 'pet_not_found' } }],
  });
});

test('of several, those that somebody else changed stay as they are until the user decides', async () => {
  const { page, projectId, stored } = await open([pet('A'), pet('B'), pet('C')]);
  const [a = 0n, b = 0n, c = 0n] = stored.map(({ id }) => id);
  await page.getByLabel('Select all on this page').check();
  await gateway.services.petsStore.update(b, { status: 'sold' }, { projectId });
  await gateway.services.petsStore.remove(c, { projectId });
  await page.getByRole('button', { name: 'Set the status of 3 animals' }).click();
  await page.getByRole('menuitem', { name: 'Reserved' }).click();
  await button(page, 'Mark as Reserved').click();
  await page.getByText('Somebody else changed this animal in the meantime').waitFor();
  expect(await page.getByRole('dialog').getByRole('listitem').allTextContents()).toEqual([
    `BID ${b}Available →Adopted`,
  ]);
  expect(await Promise.all([a, b, c].map(storedAs))).toMatchObject([
    { status: 'pending' },
    { status: 'sold' },
    undefined,
  ]);
  await button(page, 'Mark as Reserved').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await storedAs(b)).toMatchObject({ status: 'pending' });
  expect(await namesIn(page)).toEqual(['B', 'A']);
});

test('a dropped file that cannot be imported says why, and another choice imports it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-import-'));
  try {
    const path = join(folder, 'animals.csv');
    await writeFile(path, 'externalId,name,categoryId,breed\nA-1,Luna,1,Siamese\n');
    const { page } = await open([], '/import');
    await drop(page, page.getByText('Drop a CSV or NDJSON file here'), [path]);
    await page.getByText('animals.csv, ').waitFor();
    await button(page, 'Check the file').click();
    await page.getByText('breed').waitFor();
    await page.getByLabel('Example of a CSV file').waitFor();
    await page.getByLabel('Other columns').selectOption('Ignore them');
    await button(page, 'Check the file').click();
    await button(page, 'Import: add 1').click();
    await page.getByText('Imported', { exact: true }).waitFor();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a file that cannot be read says why at its field, and its correction is imported', async () => {
  const { page } = await open([], '/import');
  const field = page.getByLabel('File', { exact: true });
  const choose = (csv: string) =>
    field.setInputFiles({ name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await button(page, 'Check the file').click();
  await page.getByRole('alert').getByText('Choose a file first.', { exact: true }).waitFor();
  await choose('externalId,name,categoryId\nA-1,"Luna,1\n');
  await button(page, 'Check the file').click();
  const reason = 'Line 2 has a quote that is not closed, so the file cannot be read further.';
  await page.getByRole('alert').getByText(reason, { exact: true }).waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await seriousFaults(page)).toEqual([]);
  await choose('externalId,name,categoryId\nA-1,Luna,1\n');
  await page.getByText(reason).waitFor({ state: 'detached' });
  await button(page, 'Check the file').click();
  await button(page, 'Import: add 1').click();
  await button(page, 'Import another file').click();
  await page.getByText('Drop a CSV or NDJSON file here').waitFor();
});

test('removes more animals than a fifth only if the user says how many', async () => {
  const { page } = await open([], '/import');
  const field = page.getByLabel('File', { exact: true });
  const choose = (ids: readonly number[]) => {
    const csv = ['externalId,name,categoryId', ...ids.map((id) => `A-${id},Animal ${id},1`)].join('\n');
    return field.setInputFiles({ name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  };
  await choose([1, 2, 3, 4]);
  await button(page, 'Check the file').click();
  await button(page, 'Import: add 4').click();
  await button(page, 'Import another file').click();
  await choose([1]);
  await page.getByLabel('Animals that are missing from the file').selectOption('Remove them');
  await button(page, 'Check the file').click();
  await page.getByText('No animal is removed').waitFor();
  await page.getByText('deleteAtMost 3').waitFor();
  await button(page, 'Change the file or the choices').click();
  await page.getByLabel('Remove at most').fill('3');
  await button(page, 'Check the file').click();
  await button(page, 'Import: remove 3').click();
  await page.getByRole('link', { name: 'Show the animals' }).click();
  expect(await namesIn(page)).toEqual(['Animal 1']);
});

test('an admin removes all animals of a project by typing its name', async () => {
  const { projectId, stored } = await open([pet('Spam'), pet('More spam')]);
  await opened?.page.context().close();
  const { secret } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  const other = await gateway.services.petsStore.insertMany([pet('Stays')], undefined);
  opened = await openDashboard(browser(), gateway, {
    apiKey: secret,
    path: `/dashboard/projects/${projectId}/animals`,
  });
  const { page } = opened;
  await page.getByText('2 animals', { exact: true }).waitFor();
  await button(page, 'Remove all animals').click();
  const dialog = page.getByRole('dialog', { name: 'Remove all animals of enterprise project?' });
  expect(await dialog.getByRole('button', { name: 'Remove all animals' }).isDisabled()).toBe(true);
  expect(await seriousFaults(page)).toEqual([]);
  await page.keyboard.type('enterprise project');
  await page.keyboard.press('Enter');
  await page.getByText('Removed 2 animals of enterprise project.').first().waitFor();
  await page.getByText('No animals yet').waitFor();
  expect(await Promise.all([...stored, ...other].map(({ id }) => storedAs(id)))).toMatchObject([
    undefined,
    undefined,
    { name: 'Stays' },
  ]);
});

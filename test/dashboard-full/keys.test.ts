import type { Locator, Page } from 'playwright-core';
import type { CustomQuota } from '../../src/features/plans/plans.js';
import { useChromium } from '../support/chromium.js';
import {
  copy,
  openDashboard,
  seriousFaults,
  signIn,
  type OpenedDashboard,
  type Opening,
} from '../support/dashboard.js';
import type { ErrorBody } from '../support/expect-answer.js';
import { useGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/** Keys and quota, and Plans, as owners and admins use them in a browser. */
const ADMIN_API_KEY = 'configured-admin-key-of-this-test';
const SMALL: CustomQuota = { requestsPerMinute: 3, requestsPerDay: 100 };

let skippedMs = 0;
const browser = useChromium();
const gateway = useGateway({
  env: { ADMIN_API_KEY, STRIKES_PER_BAN: '1', STRIKE_LOOP_SECONDS: '1', BAN_SECONDS: '600' },
  clock: () => Date.now() + skippedMs,
});

let opened: OpenedDashboard[] = [];
afterEach(async () => {
  const finished = opened;
  opened = [];
  for (const { page } of finished) await page.context().close();
  // Nothing of any page came from elsewhere, and no browser complained.
  for (const { elsewhere, complaints } of finished) expect([elsewhere, complaints]).toEqual([[], []]);
});

async function open(apiKey: string, path: string, options: Partial<Opening> = {}): Promise<Page> {
  const one = await openDashboard(browser(), gateway, { apiKey, path, ...options });
  opened.push(one);
  await one.page.getByRole('heading', { level: 1 }).waitFor();
  return one.page;
}

/** A project with the key of its owner. */
async function startProject({ customQuota }: { customQuota?: CustomQuota } = {}) {
  const { apiKey, secret } = await gateway.keyOn(customQuota ? 'enterprise' : 'free', customQuota, {
    name: 'The owner',
    role: 'owner',
  });
  const projectId = apiKey.projectId ?? '';
  return {
    projectId,
    owner: secret,
    keysPath: `/dashboard/projects/${projectId}/keys`,
    addKey: async (name: string) => {
      const issued = await gateway.services.apiKeys.create({ name, projectId });
      return { ...issued, path: `/dashboard/projects/${projectId}/keys/${issued.apiKey.id}` };
    },
  };
}

const askPets = async (key: string) => (await gateway.request('/v1/pets', { key })).status;
const dialogOf = (page: Page) => page.getByRole('dialog');
const press = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).click();

/** Uses its minute up, and goes on asking until it is banned. How many of its requests were refused. */
async function getBanned(key: string): Promise<number> {
  let refused = 0;
  await until('the ban', async () => {
    const answer = await gateway.request('/v1/pets', { key });
    if (answer.status === 200) return false;
    refused += 1;
    skippedMs += 1_100;
    return ((await answer.json()) as ErrorBody).code === 'key_banned';
  });
  await gateway.services.recorder.flush();
  return refused;
}

test('a key gets another name, other origins and an expiry; its history says so', async () => {
  const { owner, projectId } = await startProject();
  const { apiKey, secret } = await gateway.services.apiKeys.create({
    name: 'Shop page',
    role: 'browser',
    projectId,
    allowedOrigins: ['https://shop.example'],
  });
  const page = await open(owner, `/dashboard/projects/${projectId}/keys/${apiKey.id}`);
  await press(page, 'Edit');
  const dialog = dialogOf(page);
  await dialog.getByLabel('Allowed origins').fill('https://shop.example/');
  await press(dialog, 'Save changes');
  await dialog.getByText('is not a web origin').waitFor();
  await dialog.getByLabel('Name').fill('New shop page');
  await dialog.getByLabel('Allowed origins').fill('https://new.example https://shop.example');
  await dialog.getByLabel('Expires').selectOption('30');
  await press(dialog, 'Save changes');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'New shop page' }).waitFor();
  await page.getByText('https://new.example', { exact: true }).waitFor();
  await page.getByText('Changed name, allowed origins, expires at').waitFor();
  const changed = await gateway.services.apiKeys.get(apiKey.id);
  expect(changed).toMatchObject({ name: 'New shop page', secrets: [{ start: secret.slice(0, 14) }] });
  const days = ((changed.expiresAt?.getTime() ?? 0) - Date.now() - skippedMs) / 86_400_000;
  expect(Math.round(days)).toBe(30);

  // Not touched, the expiry stays to the millisecond, although its field holds whole minutes.
  await press(page, 'Edit');
  await dialog.getByLabel('Name').fill('Shop page again');
  await press(dialog, 'Save changes');
  await page.getByRole('heading', { level: 1, name: 'Shop page again' }).waitFor();
  expect((await gateway.services.apiKeys.get(apiKey.id)).expiresAt).toEqual(changed.expiresAt);
});

test('a message fits a phone whatever name it has, and is above an open dialog', async () => {
  const { owner, addKey } = await startProject();
  const { path } = await addKey('W'.repeat(100));
  const page = await open(owner, path, { viewport: { width: 390, height: 844 } });
  await press(page, 'Edit');
  await press(dialogOf(page), 'Save changes');
  const message = page.getByRole('status').getByText('Changed WWW');
  await message.waitFor();
  const { x = 0, width = 0 } = (await message.boundingBox()) ?? {};
  expect([x >= 0, x + width <= 390]).toEqual([true, true]);
  const cutOff = await page.evaluate(
    '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".toast"))',
  );
  expect(cutOff).toBe(0);
  await press(page, 'Rotate');
  await press(dialogOf(page), 'Rotate key');
  await copy(page, 'secret');
  await page.locator('.toast:popover-open', { hasText: 'Copied: secret' }).waitFor();
  // An open dialog hides the rest of the page from screen readers, so the dialog says it too.
  await dialogOf(page).getByRole('status').getByText('Copied: secret').waitFor();
});

describe('making a key', () => {
  test('the secret is shown once, stays until the user confirms that it is saved, and works at once', async () => {
    const { owner, keysPath } = await startProject();
    const page = await open(owner, keysPath);
    await press(page, 'Create key');
    const dialog = dialogOf(page);
    await dialog.getByLabel('Name').fill('Shop backend');
    await press(dialog, 'Create key');
    const secret = await dialog.getByLabel('Secret', { exact: true }).innerText();
    expect(secret).toMatch(/^pets_live_/);
    expect(await dialog.getByLabel('Try it', { exact: true }).innerText()).toContain(
      `curl -s '${gateway.url}/v1/pets?limit=5'`,
    );
    expect(await copy(page, 'secret')).toBe(secret);

    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    await page.mouse.click(5, 5);
    expect(await dialog.getByText('This secret is shown only once').isVisible()).toBe(true);
    await press(dialog, 'I’ve saved this key');
    await dialog.waitFor({ state: 'detached' });

    expect(await askPets(secret)).toBe(200);
    await page.getByRole('link', { name: 'Shop backend' }).click();
    await page.getByText('Changes', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.getByText(`${secret.slice(0, 14)}…`).count()).toBeGreaterThan(0);
  });

  test('works with the keyboard alone, and returns the focus', async () => {
    const { owner, keysPath } = await startProject();
    const page = await open(owner, keysPath);
    const create = page.getByRole('button', { name: 'Create key' });
    await create.waitFor();
    for (let tabs = 0; tabs < 40 && !(await isFocused(create)); tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('From the keyboard');
    await page.keyboard.press('Enter');
    const secret = dialogOf(page).getByLabel('Secret', { exact: true });
    await secret.waitFor();
    expect(await isFocused(secret)).toBe(true);
    const kept = page.getByRole('button', { name: 'I’ve saved this key' });
    for (let tabs = 0; tabs < 10 && !(await isFocused(kept)); tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await secret.waitFor({ state: 'detached' });
    expect(await isFocused(create)).toBe(true);
    await page.getByRole('link', { name: 'From the keyboard' }).waitFor();
  });

  test('shows errors of the API at the fields', async () => {
    const { owner, keysPath } = await startProject();
    const page = await open(owner, keysPath);
    await press(page, 'Create key');
    const dialog = dialogOf(page);
    await press(dialog, 'Create key');
    await errorAt(dialog, 'Name', 'Must have 1 to 100 characters');
    await dialog.getByLabel('Name').fill('Shop pages');
    await dialog.getByLabel('Role').selectOption('browser');
    await dialog.getByLabel('Allowed origins').fill('https://shop.example https://shop.example/about');
    await dialog.getByLabel('Expires').selectOption('date');
    await dialog.getByLabel('Expires at').fill('2020-01-01T10:00');
    await press(dialog, 'Create key');
    await errorAt(dialog, 'Allowed origins', '"https://shop.example/about" is not a web origin');
    await errorAt(dialog, 'Expires at', 'Must be in the future');
    await dialog.getByLabel('Allowed origins').fill('https://shop.example');
    await dialog.getByLabel('Expires', { exact: true }).selectOption('90');
    await press(dialog, 'Create key');
    expect(await dialog.getByLabel('Try it', { exact: true }).innerText()).toContain(
      "-H 'Origin: https://shop.example'",
    );
  });

  test('a project without keys says how to create the first one', async () => {
    const { id } = await gateway.services.projects.create({ name: 'New' });
    const page = await open(ADMIN_API_KEY, `/dashboard/projects/${id}/keys`);
    await press(page, 'Create your first key');
    await dialogOf(page).getByLabel('Name').fill('First');
    await press(dialogOf(page), 'Create key');
    await press(dialogOf(page), 'I’ve saved this key');
    await page.getByRole('link', { name: 'First' }).waitFor();
  });
});

describe('a key', () => {
  test('its bars follow its requests', async () => {
    const { owner, addKey } = await startProject();
    const { secret, path } = await addKey('Counted');
    const page = await open(owner, path);
    await page.getByText('0 of 60').waitFor();
    for (let sent = 0; sent < 3; sent++) await askPets(secret);
    await page.getByText('3 of 60').waitFor();
    await page.getByText('3 of 1,000').waitFor();
    expect(await page.getByText(/^Resets (at|on) /).count()).toBe(2);
  });

  test('rotation keeps the old secret as long as chosen, or ends it now', async () => {
    const { owner, addKey } = await startProject();
    const { secret, path } = await addKey('Rotated');
    const page = await open(owner, path);
    const rotate = async (overlap: string) => {
      await press(page, 'Rotate');
      await dialogOf(page).getByLabel('Old secret stops working').selectOption({ label: overlap });
      await press(dialogOf(page), 'Rotate key');
      const newSecret = await dialogOf(page).getByLabel('Secret', { exact: true }).innerText();
      await press(dialogOf(page), 'I’ve saved this key');
      return newSecret;
    };

    const second = await rotate('In 1 hour');
    await page.getByText('works until').first().waitFor();
    expect([await askPets(secret), await askPets(second)]).toEqual([200, 200]);
    const third = await rotate('Immediately');
    await page.getByText('The old secret stopped working immediately.').waitFor();
    expect([await askPets(secret), await askPets(second), await askPets(third)]).toEqual([401, 401, 200]);
  });

  test('keeps showing the new secret of the signed-in key after its session ended', async () => {
    const { owner, keysPath } = await startProject();
    const page = await open(owner, keysPath);
    await page.clock.install();
    await page.getByRole('link', { name: 'The owner' }).click();
    await press(page, 'Rotate');
    await dialogOf(page).getByText('You are signed in with this key').waitFor();
    await dialogOf(page).getByLabel('Old secret stops working').selectOption({ label: 'Immediately' });
    await press(dialogOf(page), 'Rotate key');
    const secret = await dialogOf(page).getByLabel('Secret', { exact: true }).innerText();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(120_000);
    expect(asked).toEqual([]);
    await press(dialogOf(page), 'I’ve saved this key');
    await signIn(page, secret);
    await page.getByText('The old secret stopped working immediately.').waitFor();
  });

  test('revoking explains the consequences, asks for the name, and cannot be undone', async () => {
    const { owner, addKey } = await startProject();
    const { secret, path } = await addKey('Leaked');
    const page = await open(owner, path);
    expect(await askPets(secret)).toBe(200);
    await press(page, 'Revoke');
    await dialogOf(page).getByText('You can’t undo this.').waitFor();
    const revoke = dialogOf(page).getByRole('button', { name: 'Revoke key' });
    await page.keyboard.type('Leake');
    expect(await revoke.isDisabled()).toBe(true);
    await page.keyboard.type('d');
    await revoke.click();
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    expect(await askPets(secret)).toBe(401);
    expect(await page.getByRole('button', { name: /Rotate|Revoke/ }).count()).toBe(0);
    await page.locator('h1:focus').waitFor();
  });

  test('shows no key that does not exist or belongs to another project', async () => {
    const { addKey } = await startProject();
    const { path, apiKey } = await addKey('Theirs');
    const { keysPath, owner } = await startProject();
    for (const [secret, address] of [
      [ADMIN_API_KEY, path.replace(apiKey.id, 'key_none')],
      [ADMIN_API_KEY, `${keysPath}/${apiKey.id}`],
      [owner, `${keysPath}/${apiKey.id}`],
    ] as const)
      await (await open(secret, address)).getByText('Key not found').waitFor();
  });
});

describe('a rate-limited key', () => {
  test('shows a chart of its requests, reasons of rejections, and that owners wait for the end of a ban', async () => {
    const { owner, addKey } = await startProject({ customQuota: SMALL });
    const { secret, path } = await addKey('Without manners');
    const refused = await getBanned(secret);

    const page = await open(owner, path);
    await page.getByText(/^Banned until \d\d:\d\d:\d\d \(in \d+ minutes\)/).waitFor();
    await page.getByText('An admin of this gateway can lift the ban earlier').waitFor();
    for (const name of ['Lift ban', 'Reset quota'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);

    await page.getByText('Show as a table').click();
    const byDay = page.getByRole('table', { name: 'Requests by day and status' }).getByRole('row');
    expect(await cellsOf(byDay.last())).toEqual([expect.any(String), '3', '0', `${refused}`, '0']);
    const operation = page
      .getByRole('table', { name: 'Requests by interface and operation' })
      .getByRole('row');
    expect(await cellsOf(operation.last())).toEqual([
      'listPets REST',
      `${3 + refused}`,
      '3',
      '0',
      `${refused}`,
      '0',
      '3',
    ]);
    const refusals = page.getByRole('table', { name: 'Rejected requests' });
    await refusals
      .getByText(/The minute limit of 3 requests was used up\. It (resets|reset) at \d\d:\d\d:\d\d\./)
      .first()
      .waitFor();
    await refusals
      .getByText(/The key was banned until \d\d:\d\d:\d\d\./)
      .first()
      .waitFor();
    await press(page, '7 days');
    await until('a week of days', async () => (await byDay.count()) === 1 + 7);
  });

  test('an admin lifts the ban and resets the quota', async () => {
    const { addKey } = await startProject({ customQuota: SMALL });
    const { secret, path } = await addKey('Forgiven');
    await getBanned(secret);
    const page = await open(ADMIN_API_KEY, path);
    await press(page, 'Lift ban');
    await page.getByText('Lifted the ban.').waitFor();
    // The pressed button is gone.
    await page.locator('h1:focus').waitFor();
    expect(await page.getByText(/^Banned until/).count()).toBe(0);
    await press(page, 'Reset quota');
    await press(dialogOf(page), 'Reset quota');
    await page.getByText('0 of 3').waitFor();
    expect(await askPets(secret)).toBe(200);
    for (const what of ['Lifted the ban', 'Reset the quota']) await page.getByText(what).first().waitFor();
  });
});

test('filters keys by role, state, ban and name, and keeps the filters in the address', async () => {
  const { owner, keysPath, addKey } = await startProject({ customQuota: SMALL });
  const revoked = await addKey('Old import');
  await gateway.services.apiKeys.revoke(revoked.apiKey.id);
  await getBanned((await addKey('Banned one')).secret);
  const page = await open(owner, keysPath);
  const search = page.getByRole('search', { name: 'Keys' });
  const shown = (...names: string[]) =>
    until(names.join(', '), async () => {
      const links = await page.getByRole('table').getByRole('link').allInnerTexts();
      return JSON.stringify(links) === JSON.stringify(names);
    });

  await shown('The owner', 'Old import', 'Banned one');
  await search.getByLabel('State').selectOption('revoked');
  await shown('Old import');
  await search.getByLabel('State').selectOption('');
  await search.getByLabel('Attention').selectOption('banned');
  await shown('Banned one');
  await page.getByText(/^Banned until/).waitFor();
  await search.getByLabel('Role').selectOption('owner');
  await press(page, 'Clear filters');
  await shown('The owner', 'Old import', 'Banned one');
  await search.getByLabel('Name').fill('import');
  await shown('Old import');
  await page.reload();
  await shown('Old import');
  await search.getByLabel('Name').fill('');
  await search.getByLabel('Role').selectOption('owner');
  await shown('The owner');
});

test('the headers sort the keys, and a second press restores the order', async () => {
  const { owner, keysPath, addKey } = await startProject();
  await addKey('Unused');
  await askPets((await addKey('Used')).secret);
  await gateway.services.recorder.flush();
  const page = await open(owner, keysPath);
  /** Keys with the same usage have no order of their own. */
  const begins = (...names: string[]) =>
    until(names.join(', '), async () => {
      const links = await page.getByRole('table').getByRole('link').allInnerTexts();
      return links.length === 3 && names.every((name, at) => links[at] === name);
    });
  await begins('The owner', 'Unused', 'Used');
  await press(page, 'Today (UTC)');
  await begins('Used');
  const header = page.getByRole('columnheader', { name: 'Today (UTC)' });
  expect(await header.getAttribute('aria-sort')).toBe('descending');
  await page.reload();
  await begins('Used');
  expect(await seriousFaults(page)).toEqual([]);
  await press(page, 'Today (UTC)');
  await begins('The owner', 'Unused', 'Used');
  expect(new URL(page.url()).search).toBe('');
});

test('more keys than a page holds are turned over', async () => {
  const { owner, keysPath, addKey } = await startProject({
    customQuota: { requestsPerMinute: 600, requestsPerDay: 10_000 },
  });
  for (let number = 1; number <= 20; number++) await addKey(`Key ${number}`);
  const page = await open(owner, keysPath);
  await page.getByRole('link', { name: 'Key 19' }).waitFor();
  await press(page, 'Next');
  await page.getByRole('link', { name: 'Key 20' }).waitFor();
  expect(await page.getByRole('table').getByRole('link').count()).toBe(1);
  await press(page, 'Previous');
  await page.getByRole('link', { name: 'The owner' }).waitFor();
});

describe('plans', () => {
  test('an owner sees the plan, what another plan would change and whom to ask, but no button', async () => {
    const { owner } = await startProject();
    const page = await open(owner, '/dashboard/plans');
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    await card('Free').getByText('Current').waitFor();
    expect((await card('Pro').innerText()).replaceAll(/\s+/g, ' ')).toContain(
      'requests per minute 300 now 60',
    );
    expect(await card('Pro').innerText()).toContain('You can add custom domains');
    await page.getByText('Ask an admin of this gateway').waitFor();
    expect(await page.getByRole('button', { name: /Change/ }).count()).toBe(0);
  });

  test('counts the days above the limit of a smaller plan', async () => {
    const { owner, projectId, addKey } = await startProject({
      customQuota: { requestsPerMinute: 100, requestsPerDay: 20_000 },
    });
    const { apiKey } = await addKey('Busy');
    const { recorder } = gateway.services;
    const request = {
      interface: 'rest',
      source: 'enterprise',
      operation: 'listPets',
      status: 200,
      cost: 1_200,
    } as const;
    for (const daysAgo of [1, 2]) recorder.countRequest(apiKey, request, Date.now() - daysAgo * 86_400_000);
    await recorder.flush();
    for (const key of [owner, ADMIN_API_KEY]) {
      const page = await open(key, `/dashboard/plans?project=${projectId}`);
      const card = (name: string) => page.getByRole('region', { name, exact: true });
      await card('Free')
        .getByText('The project exceeded this daily limit on 2 of the last 30 days')
        .waitFor();
      await card('Pro')
        .getByText('The daily limit would have been enough on each of the last 30 days')
        .waitFor();
    }
  });

  test('an admin changes the plan; errors in agreed limits show at the fields', async () => {
    const { owner, projectId } = await startProject();
    const page = await open(ADMIN_API_KEY, `/dashboard/plans?project=${projectId}`);
    await press(page, 'Change to Pro');
    await press(dialogOf(page), 'Change plan');
    await page.getByText('is now on the Pro plan.').waitFor();
    expect(await limitOf(owner)).toBe('300');

    await press(page, 'Change to Enterprise');
    await dialogOf(page).getByLabel('Requests per minute').fill('7');
    await dialogOf(page).getByLabel('Requests per day').fill('0');
    await press(dialogOf(page), 'Change plan');
    await errorAt(dialogOf(page), 'Requests per day', 'Must be an integer from 1 to');
    await dialogOf(page).getByLabel('Requests per day').fill('70');
    await press(dialogOf(page), 'Change plan');
    await page.getByRole('region', { name: 'Enterprise' }).getByText('Current').waitFor();
    expect(await limitOf(owner)).toBe('7');
  });

  const limitOf = async (key: string) =>
    (await gateway.request('/v1/pets', { key })).headers.get('X-RateLimit-Limit');
});

/** What test/dashboard-full/looks.test.ts does not come to: a ban, and dialogs. */
describe.each(['light', 'dark'] as const)('axe finds nothing serious, %s', (colorScheme) => {
  test('of a banned key, on a phone and a desk', async () => {
    const { addKey } = await startProject({ customQuota: SMALL });
    const { secret, path } = await addKey('Without manners');
    await getBanned(secret);
    const page = await open(ADMIN_API_KEY, path, { colorScheme });
    await page.getByText('The minute limit').first().waitFor();
    await page.getByText('Show as a table').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('of the dialogs of a key', async () => {
    const { addKey } = await startProject();
    const page = await open(ADMIN_API_KEY, (await addKey('Unused')).path, { colorScheme });
    for (const name of ['Revoke', 'Reset quota', 'Edit', 'Rotate']) {
      await press(page, name);
      expect(await seriousFaults(page)).toEqual([]);
      if (name !== 'Rotate') await press(dialogOf(page), 'Cancel');
    }
    await press(dialogOf(page), 'Rotate key');
    await page.getByText('This secret is shown only once').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await press(dialogOf(page), 'I’ve saved this key');
  });

  test('on errors in a new key and in agreed limits', async () => {
    const { owner, projectId, keysPath } = await startProject();
    const keys = await open(owner, keysPath, { colorScheme });
    await press(keys, 'Create key');
    await press(dialogOf(keys), 'Create key');
    await errorAt(dialogOf(keys), 'Name', 'Must have 1 to 100 characters');
    expect(await seriousFaults(keys)).toEqual([]);
    const plans = await open(ADMIN_API_KEY, `/dashboard/plans?project=${projectId}`, { colorScheme });
    await press(plans, 'Change to Enterprise');
    await press(dialogOf(plans), 'Change plan');
    await errorAt(dialogOf(plans), 'Requests per minute', 'Must be an integer from 1 to');
    expect(await seriousFaults(plans)).toEqual([]);
  });
});

async function isFocused(locator: Locator): Promise<boolean> {
  return (await locator.and(locator.page().locator(':focus')).count()) === 1;
}

/** That the words stand at the field, also for who does not see it. */
async function errorAt(dialog: Locator, label: string, words: string): Promise<void> {
  await dialog.getByText(words).waitFor();
  const field = dialog.getByLabel(label, { exact: true });
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => dialog.locator(`[id="${id}"]`).innerText()));
  expect(texts.join(' ')).toContain(words);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
}

function cellsOf(row: Locator): Promise<string[]> {
  return row.getByRole('cell').allInnerTexts();
}

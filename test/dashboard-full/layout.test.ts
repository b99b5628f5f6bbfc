import { openDashboard } from '../support/dashboard.js';
import { fillCrowded, HEBREW_NAME, LONG_NAME } from './crowded-store.js';
import { layoutFaults } from './layout-faults.js';
import { startDashboardWorld, type DashboardWorld } from './store-in-use.js';

/** The pages of a store that is full of names which are hard to lay out, from a phone to a large screen. */
let dashboard: DashboardWorld;
let owner: string;
let admin: string;
let project: string;
let key: string;
beforeAll(async () => {
  dashboard = await startDashboardWorld();
  const crowded = await fillCrowded(dashboard);
  project = `/dashboard/projects/${crowded.project.id}`;
  key = `${project}/keys/${crowded.keyId}`;
  [owner, admin] = [await dashboard.ownerOf(crowded.project), await dashboard.admin()];
});
afterAll(() => dashboard.close());

const WIDTHS = [390, 768, 1024, 1280, 1920];
const PHONE = { width: 390, height: 844 };

/** `shows`: what is there once the page has loaded. */
const PAGES: { name: string; path: () => string; apiKey?: () => string; shows: string }[] = [
  { name: 'sign-in', path: () => '/dashboard', shows: 'The browser does not store the key' },
  { name: 'overview', path: () => project, apiKey: () => owner, shows: 'Quota today' },
  { name: 'domains', path: () => `${project}/domains`, apiKey: () => owner, shows: 'Platform subdomain' },
  { name: 'deploys', path: () => `${project}/deploys`, apiKey: () => owner, shows: '#5' },
  { name: 'keys', path: () => `${project}/keys`, apiKey: () => owner, shows: HEBREW_NAME },
  { name: 'key', path: () => key, apiKey: () => owner, shows: 'Requests by day' },
  { name: 'animals', path: () => `${project}/animals`, apiKey: () => owner, shows: HEBREW_NAME },
  { name: 'catalogue', path: () => '/dashboard/catalogue', apiKey: () => owner, shows: HEBREW_NAME },
  {
    name: 'import',
    path: () => `${project}/animals/import`,
    apiKey: () => owner,
    shows: 'What the file must contain',
  },
  { name: 'plans', path: () => '/dashboard/plans', apiKey: () => owner, shows: 'Enterprise' },
  { name: 'account', path: () => '/dashboard/account', apiKey: () => owner, shows: 'This session' },
  {
    name: 'nothing',
    path: () => '/dashboard/nothing',
    apiKey: () => owner,
    shows: 'No page has this address',
  },
  { name: 'no project', path: () => `${project}x`, apiKey: () => admin, shows: 'Project not found' },
  { name: 'not for owners', path: () => '/dashboard/admin', apiKey: () => owner, shows: 'Only admins' },
  { name: 'all projects', path: () => '/dashboard/admin/projects', apiKey: () => admin, shows: HEBREW_NAME },
  { name: 'all keys', path: () => '/dashboard/admin/keys', apiKey: () => admin, shows: HEBREW_NAME },
  { name: 'audit log', path: () => '/dashboard/admin/audit', apiKey: () => admin, shows: 'Rotated the key' },
  { name: 'gateway', path: () => '/dashboard/admin', apiKey: () => admin, shows: 'Banned keys' },
  { name: 'system', path: () => '/dashboard/admin/system', apiKey: () => admin, shows: 'MongoDB' },
];

async function open({ path, apiKey, shows }: Omit<(typeof PAGES)[number], 'name'>, viewport = PHONE) {
  const { page } = await openDashboard(dashboard.browser, dashboard.gateway, {
    path: path(),
    viewport,
    ...(apiKey && { apiKey: apiKey() }),
  });
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  return page;
}

test.each(PAGES)('$name: long names and names from right to left fit at every width', async (listed) => {
  const page = await open(listed);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await layoutFaults(page)]).toEqual([width, []]);
  }
  await page.context().close();
});

test('the page of a key that everything happened to is at most three screens of a phone high', async () => {
  const page = await open({ path: () => key, apiKey: () => owner, shows: 'Show all 10' });
  await page.getByRole('figure', { name: 'Requests by day and status' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(3 * PHONE.height);
  // What is closed there opens by a press.
  await page.getByText('Changes', { exact: true }).click();
  await page.getByText('Rotated.').first().waitFor();
  await page.context().close();
});

test('on a phone, a list shows its first filter, and the others at the press of a button', async () => {
  const page = await open({
    path: () => `${project}/keys?role=server`,
    apiKey: () => owner,
    shows: HEBREW_NAME,
  });
  const role = page.getByLabel('Role', { exact: true });
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(await role.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'More filters (1 set)' }).click();
  expect(await role.inputValue()).toBe('server');
  expect(await layoutFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Fewer filters' }).click();
  await role.waitFor({ state: 'hidden' });
  await page.context().close();
});

test('the cross of a dialog stands in the corner, in the line of its title', async () => {
  const page = await open({ path: () => `${project}/keys`, apiKey: () => owner, shows: HEBREW_NAME });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor();
  expect(await layoutFaults(page)).toEqual([]);
  await page.context().close();
});

test('Troubleshooting is closed while no domain has a problem', async () => {
  const page = await open({ path: () => `${project}/domains`, apiKey: () => owner, shows: 'Troubleshooting' });
  const advice = page.getByText('Verification fails');
  expect(await advice.isVisible()).toBe(false);
  await page.getByText('Troubleshooting').click();
  await advice.waitFor();
  await page.context().close();
});

test('the header of a long list stays in sight below the header of the page', async () => {
  const page = await open({ path: () => '/dashboard/admin/keys', apiKey: () => admin, shows: HEBREW_NAME });
  await page.setViewportSize({ width: 1280, height: 600 });
  const header = page.getByRole('columnheader', { name: 'Project' });
  const topOf = async () => (await header.boundingBox())?.y ?? -1;
  expect(await topOf()).toBeGreaterThan(100);
  await page.evaluate('scrollTo(0, 600)');
  const { height = 0 } = (await page.getByRole('banner').boundingBox()) ?? {};
  expect(Math.abs((await topOf()) - height)).toBeLessThanOrEqual(2);
  await page.context().close();
});

test('a name keeps its own direction, and a cut-off name has its whole text as its title', async () => {
  const page = await open({ path: () => `${project}/keys`, apiKey: () => owner, shows: HEBREW_NAME });
  const titled = (name: string) => `document.querySelector(${JSON.stringify(`bdi[title="${name}"]`)})`;
  expect(await page.evaluate(`getComputedStyle(${titled(HEBREW_NAME)}).direction`)).toBe('rtl');
  expect(await page.evaluate(`${titled(LONG_NAME)}.textContent`)).toBe(LONG_NAME);
  await page.context().close();
});

test.each(['light', 'dark'] as const)('%s: the focus does not have the colour of an error', async (theme) => {
  const page = await open({ path: () => '/dashboard', shows: 'The browser does not store the key' });
  await page.emulateMedia({ colorScheme: theme });
  const styleOf = (selector: string, what: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${what}`);
  const focused = await styleOf('input:focus-visible', 'outlineColor');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter an API key.').waitFor();
  const wrong = await styleOf('.field-error', 'color');
  expect(await styleOf('input', 'borderColor')).toBe(wrong);
  expect(await styleOf('input:focus-visible', 'outlineColor')).toBe(focused);
  expect(focused).not.toBe(wrong);
  await page.context().close();
});

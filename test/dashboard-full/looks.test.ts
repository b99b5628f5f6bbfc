import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { COLOUR_RULES, openDashboard, seriousFaults } from '../support/dashboard.js';
import { writeFormatted } from '../support/format-file.js';
import { fillCrowded, HEBREW_NAME, LONG_NAME } from './crowded-store.js';
import { layoutFaults } from './layout-faults.js';
import { boxesOf, boxFaults, stylesOf, type Boxes, type Styles } from './look.js';
import { fillStore, startDashboardWorld, type DashboardWorld } from './store-in-use.js';

/**
 * What every page of the dashboard looks like: in a store in use, on a phone and on a desk, by day and by night; and in
 * a store that is full of names which are hard to lay out, from a phone to a large screen.
 *
 * The main pages are compared with visual.json, which UPDATE_LOOKS=1 rewrites. PICTURES names a folder for pictures of
 * all pages; those of docs/images are made so (CONTRIBUTING.md).
 */
interface Store {
  dashboard: DashboardWorld;
  /** The addresses of the project's and of a key's page. */
  project: string;
  key: string;
  /** Secrets of API keys. */
  owner: string;
  admin: string;
}
let inUse: Store;
let crowded: Store;

beforeAll(async () => {
  [inUse, crowded] = await Promise.all([
    storeOf(async (dashboard) => {
      const { project, key } = await fillStore(dashboard);
      return { project, keyId: key.id };
    }),
    storeOf(fillCrowded),
  ]);
  // The charts show use only once it is written.
  await inUse.dashboard.gateway.services.recorder.flush();
});
afterAll(async () => {
  for (const { dashboard } of [inUse, crowded]) await dashboard.close();
  if (IS_UPDATE) await writeFormatted(FILE, JSON.stringify({ ...kept, ...found }));
});

async function storeOf(
  fill: (dashboard: DashboardWorld) => Promise<{ project: { id: string }; keyId: string }>,
): Promise<Store> {
  const dashboard = await startDashboardWorld();
  const { project, keyId } = await fill(dashboard);
  const address = `/dashboard/projects/${project.id}`;
  const [owner, admin] = [await dashboard.ownerOf(project), await dashboard.admin()];
  return { dashboard, project: address, key: `${address}/keys/${keyId}`, owner, admin };
}

interface Look {
  boxes: Record<string, Boxes>;
  styles: Record<string, Styles>;
}
const FILE = join(__dirname, 'visual.json');
const IS_UPDATE = process.env['UPDATE_LOOKS'] === '1';
const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Look>;
const found: Record<string, Look> = {};

const PICTURES = process.env['PICTURES'];
const PHONE = { width: 390, height: 844 };
const SIZES = [PHONE, { width: 1280, height: 800 }];
const WIDTHS = [390, 768, 1024, 1280, 1920];

interface Listed {
  name: string;
  /** The path below /dashboard. */
  path: string | ((store: Store) => string);
  /** Undefined: signed out. */
  as?: 'owner' | 'admin';
  /** What is there once the page has loaded: in the store in use, and in the crowded one. */
  shows: readonly [inUse: string, crowded: string];
  isRecorded?: boolean;
}

const below = (path: string) => (store: Store) => store.project + path;
const SIGN_IN = 'The page does not keep the key';
const PAGES: readonly Listed[] = [
  { name: 'sign-in', path: '', shows: [SIGN_IN, SIGN_IN], isRecorded: true },
  { name: 'overview', path: below(''), as: 'owner', shows: ['Quota today', 'Quota today'], isRecorded: true },
  {
    name: 'domains',
    path: below('/domains'),
    as: 'owner',
    // Troubleshooting is open while a domain has a problem.
    shows: ['Verification fails', 'Platform subdomain'],
    isRecorded: true,
  },
  {
    name: 'deploys',
    path: below('/deploys'),
    as: 'owner',
    shows: ['New photographs', '#5'],
    isRecorded: true,
  },
  { name: 'keys', path: below('/keys'), as: 'owner', shows: ['Web shop', HEBREW_NAME], isRecorded: true },
  {
    name: 'key',
    path: ({ key }) => key,
    as: 'owner',
    shows: ['Requests by day', 'Requests by day'],
    isRecorded: true,
  },
  { name: 'pets', path: below('/animals'), as: 'owner', shows: ['Flöckchen', HEBREW_NAME] },
  { name: 'catalogue', path: '/catalogue', as: 'owner', shows: ['Flöckchen', HEBREW_NAME] },
  {
    name: 'import',
    path: below('/animals/import'),
    as: 'owner',
    shows: ['Choose a file', 'What the file must contain'],
  },
  {
    name: 'staff',
    path: below('/staff'),
    as: 'owner',
    shows: ['Maria Ruiz', HEBREW_NAME],
  },
  { name: 'plans', path: '/plans', as: 'owner', shows: ['Enterprise', 'Enterprise'] },
  { name: 'account', path: '/account', as: 'owner', shows: ['This session', 'This session'] },
  { name: 'all-projects', path: '/admin/projects', as: 'admin', shows: ['Second Chance', HEBREW_NAME] },
  { name: 'all-keys', path: '/admin/keys', as: 'admin', shows: ['Phone app', HEBREW_NAME] },
  {
    name: 'audit',
    path: '/admin/audit',
    as: 'admin',
    shows: ['Signed in to the dashboard', 'Rotated the key'],
    isRecorded: true,
  },
  {
    name: 'gateway',
    path: '/admin',
    as: 'admin',
    shows: ['Requests by minute and status', 'Banned keys'],
    isRecorded: true,
  },
  { name: 'system', path: '/admin/system', as: 'admin', shows: ['MongoDB', 'MongoDB'] },
];
const NO_PAGE = 'No page has this address';
const ERROR_PAGES: readonly Listed[] = [
  { name: 'nothing', path: '/nothing', as: 'owner', shows: [NO_PAGE, NO_PAGE] },
  { name: 'no project', path: below('x'), as: 'admin', shows: ['Project not found', 'Project not found'] },
  { name: 'not for owners', path: '/admin', as: 'owner', shows: ['Only admins', 'Only admins'] },
];

async function open(store: Store, { path, as, shows }: Omit<Listed, 'name'>, viewport = PHONE) {
  const { dashboard } = store;
  const opened = await openDashboard(dashboard.browser, dashboard.gateway, {
    path: typeof path === 'string' ? `/dashboard${path}` : path(store),
    viewport,
    ...(as && { apiKey: store[as] }),
  });
  const words = shows[store === inUse ? 0 : 1];
  await opened.page.getByText(words).filter({ visible: true }).first().waitFor();
  return opened;
}

test.each(PAGES)('$name: accessible, laid out well and as it was recorded', async (listed) => {
  const { page, elsewhere, complaints } = await open(inUse, listed);
  await page.waitForLoadState('networkidle');
  const look: Look = { boxes: {}, styles: {} };
  for (const size of SIZES) {
    await page.setViewportSize(size);
    look.boxes[size.width] = await boxesOf(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      look.styles[colorScheme] = await stylesOf(page);
      if (PICTURES !== undefined)
        await shoot(page, `${PICTURES}/${listed.name}-${size.width}-${colorScheme}.png`);
      // Only the colours differ from those by day.
      const serious = await seriousFaults(page, colorScheme === 'dark' ? COLOUR_RULES : undefined);
      const faults = [...serious, ...(await layoutFaults(page))];
      expect([size.width, colorScheme, faults]).toEqual([size.width, colorScheme, []]);
    }
  }
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  await page.context().close();
  if (listed.isRecorded) compare(listed.name, look);
});

/** With what was recorded, or records it. */
function compare(name: string, look: Look): void {
  if (IS_UPDATE) {
    found[name] = look;
    return;
  }
  const faults = Object.entries(look.boxes).flatMap(([width, boxes]) =>
    boxFaults(kept[name]?.boxes[width] ?? {}, boxes).map((fault) => `${width} px: ${fault}`),
  );
  expect(faults).toEqual([]);
  expect(look.styles).toEqual(kept[name]?.styles);
}

/** A screenful of a desk, which a README shows; all of a phone's page. */
async function shoot(page: Page, path: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.screenshot({
    path,
    fullPage: width < 1000 || process.env['IN_FULL'] !== undefined,
    // Colours change with a transition.
    animations: 'disabled',
  });
}

test.each([...PAGES, ...ERROR_PAGES])(
  '$name: long names and names from right to left fit at every width',
  async (listed) => {
    const { page } = await open(crowded, listed);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await layoutFaults(page)]).toEqual([width, []]);
    }
    await page.context().close();
  },
);

const KEYS = { path: below('/keys'), as: 'owner', shows: ['', HEBREW_NAME] } as const;

test('the page of a key that everything happened to is at most three screens of a phone high', async () => {
  const { page } = await open(crowded, {
    path: ({ key }) => key,
    as: 'owner',
    shows: ['', 'Show all 10'],
  });
  await page.getByRole('figure', { name: 'Requests by day and status' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(3 * PHONE.height);
  // What is closed there opens by a press.
  await page.getByText('Changes', { exact: true }).click();
  await page.getByText('Rotated.').first().waitFor();
  await page.context().close();
});

test('on a phone, a list shows its first filter, and the others at the press of a button', async () => {
  const { page } = await open(crowded, { ...KEYS, path: below('/keys?role=server') });
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
  const { page } = await open(crowded, KEYS);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor();
  expect(await layoutFaults(page)).toEqual([]);
  await page.context().close();
});

test('Troubleshooting is closed while no domain has a problem', async () => {
  const { page } = await open(crowded, { ...KEYS, path: below('/domains'), shows: ['', 'Troubleshooting'] });
  const advice = page.getByText('Verification fails');
  expect(await advice.isVisible()).toBe(false);
  await page.getByText('Troubleshooting').click();
  await advice.waitFor();
  await page.context().close();
});

test('the header of a long list stays in sight below the header of the page', async () => {
  const { page } = await open(crowded, { ...KEYS, path: '/admin/keys', as: 'admin' });
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
  const { page } = await open(crowded, KEYS);
  const titled = (name: string) => `document.querySelector(${JSON.stringify(`bdi[title="${name}"]`)})`;
  expect(await page.evaluate(`getComputedStyle(${titled(HEBREW_NAME)}).direction`)).toBe('rtl');
  expect(await page.evaluate(`${titled(LONG_NAME)}.textContent`)).toBe(LONG_NAME);
  await page.context().close();
});

test.each(['light', 'dark'] as const)('%s: the focus does not have the colour of an error', async (theme) => {
  const { page } = await open(crowded, { path: '', shows: [SIGN_IN, SIGN_IN] });
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

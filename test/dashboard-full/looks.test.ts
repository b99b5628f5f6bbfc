import type { Page } from 'playwright-core';
import { openDashboard, seriousFaults } from '../support/dashboard.js';
import { fillStore, startDashboardWorld, type DashboardWorld } from './store-in-use.js';

/**
 * Every page of the dashboard, as it looks on a phone and on a desk, by day and by night. PICTURES names a folder for
 * pictures of all of them; those of docs/images are made so (CONTRIBUTING.md).
 */
let dashboard: DashboardWorld;
let owner: string;
let admin: string;
let project: string;
let key: string;

beforeAll(async () => {
  dashboard = await startDashboardWorld();
  const filled = await fillStore(dashboard);
  project = `/dashboard/projects/${filled.project.id}`;
  key = `${project}/keys/${filled.key.id}`;
  [owner, admin] = [await dashboard.ownerOf(filled.project), await dashboard.admin()];
});
afterAll(() => dashboard.close());

const PICTURES = process.env['PICTURES'];
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** `shows`: what is there once the page has loaded. */
const PAGES: { name: string; path: () => string; apiKey?: () => string; shows: string }[] = [
  { name: 'sign-in', path: () => '/dashboard', shows: 'The browser does not store the key' },
  { name: 'overview', path: () => project, apiKey: () => owner, shows: 'Quota today' },
  { name: 'domains', path: () => `${project}/domains`, apiKey: () => owner, shows: 'An A record blocks' },
  { name: 'deploys', path: () => `${project}/deploys`, apiKey: () => owner, shows: 'New photographs' },
  { name: 'keys', path: () => `${project}/keys`, apiKey: () => owner, shows: 'Web shop' },
  { name: 'key', path: () => key, apiKey: () => owner, shows: 'Requests by day' },
  { name: 'pets', path: () => `${project}/animals`, apiKey: () => owner, shows: 'Flöckchen' },
  { name: 'catalogue', path: () => '/dashboard/catalogue', apiKey: () => owner, shows: 'Flöckchen' },
  {
    name: 'import',
    path: () => `${project}/animals/import`,
    apiKey: () => owner,
    shows: 'Choose a file',
  },
  { name: 'plans', path: () => '/dashboard/plans', apiKey: () => owner, shows: 'Enterprise' },
  { name: 'account', path: () => '/dashboard/account', apiKey: () => owner, shows: 'This session' },
  {
    name: 'all-projects',
    path: () => '/dashboard/admin/projects',
    apiKey: () => admin,
    shows: 'Second Chance',
  },
  { name: 'all-keys', path: () => '/dashboard/admin/keys', apiKey: () => admin, shows: 'Phone app' },
  {
    name: 'audit',
    path: () => '/dashboard/admin/audit',
    apiKey: () => admin,
    shows: 'Signed in to the dashboard',
  },
  {
    name: 'gateway',
    path: () => '/dashboard/admin',
    apiKey: () => admin,
    shows: 'Requests by minute and status',
  },
  { name: 'system', path: () => '/dashboard/admin/system', apiKey: () => admin, shows: 'MongoDB' },
];

test.each(PAGES)(
  '$name: axe finds nothing serious, nothing is cut off, blocked by the policy or loaded from elsewhere',
  async ({ name, path, apiKey, shows }) => {
    const { page, elsewhere, complaints } = await openDashboard(dashboard.browser, dashboard.gateway, {
      path: path(),
      ...(apiKey && { apiKey: apiKey() }),
    });
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    for (const size of SIZES)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        if (PICTURES !== undefined) await shoot(page, `${PICTURES}/${name}-${size.width}-${colorScheme}.png`);
        expect([size.width, colorScheme, await seriousFaults(page)]).toEqual([size.width, colorScheme, []]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      }
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
    await page.context().close();
  },
);

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

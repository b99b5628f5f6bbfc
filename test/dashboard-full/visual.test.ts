import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDashboard } from '../support/dashboard.js';
import { writeFormatted } from '../support/format-file.js';
import { boxesOf, boxFaults, overlapsOn, stylesOf, type Boxes, type Styles } from './look.js';
import { fillStore, startDashboardWorld, type DashboardWorld } from './store-in-use.js';

/** What the main pages look like, against visual.json. UPDATE_LOOKS=1 rewrites the file. */
interface Look {
  boxes: Record<string, Boxes>;
  styles: Record<string, Styles>;
}

const FILE = join(__dirname, 'visual.json');
const IS_UPDATE = process.env['UPDATE_LOOKS'] === '1';
const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Look>;
const found: Record<string, Look> = {};

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
  // The charts show use only once it is written.
  await dashboard.gateway.services.recorder.flush();
});
afterAll(async () => {
  await dashboard.close();
  if (IS_UPDATE) await writeFormatted(FILE, JSON.stringify({ ...kept, ...found }));
});

/** `shows`: what is there once the page has loaded. */
const PAGES: { name: string; path: () => string; apiKey?: () => string; shows: string }[] = [
  { name: 'sign-in', path: () => '/dashboard', shows: 'The browser does not store the key' },
  { name: 'overview', path: () => project, apiKey: () => owner, shows: 'Quota today' },
  { name: 'keys', path: () => `${project}/keys`, apiKey: () => owner, shows: 'Web shop' },
  { name: 'key', path: () => key, apiKey: () => owner, shows: 'Requests by day' },
  { name: 'domains', path: () => `${project}/domains`, apiKey: () => owner, shows: 'An A record blocks' },
  { name: 'deploys', path: () => `${project}/deploys`, apiKey: () => owner, shows: 'New photographs' },
  {
    name: 'gateway',
    path: () => '/dashboard/admin',
    apiKey: () => admin,
    shows: 'Requests by minute and status',
  },
  {
    name: 'audit',
    path: () => '/dashboard/admin/audit',
    apiKey: () => admin,
    shows: 'Signed in to the dashboard',
  },
];

test.each(PAGES)('$name: everything is in its place and has its colours', async (listed) => {
  const { name, path, apiKey, shows } = listed;
  const { page } = await openDashboard(dashboard.browser, dashboard.gateway, {
    path: path(),
    ...(apiKey && { apiKey: apiKey() }),
  });
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  await page.waitForLoadState('networkidle');
  const look: Look = { boxes: {}, styles: {} };
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    look.boxes[width] = await boxesOf(page);
    expect([width, await overlapsOn(page)]).toEqual([width, []]);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    look.styles[colorScheme] = await stylesOf(page);
  }
  await page.context().close();
  if (IS_UPDATE) {
    found[name] = look;
    return;
  }
  const faults = Object.entries(look.boxes).flatMap(([width, boxes]) =>
    boxFaults(kept[name]?.boxes[width] ?? {}, boxes).map((fault) => `${width} px: ${fault}`),
  );
  expect(faults).toEqual([]);
  expect(look.styles).toEqual(kept[name]?.styles);
});

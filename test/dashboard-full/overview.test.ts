import type { Connection } from 'mongoose';
import type { Locator, Page } from 'playwright-core';
import { useChromium } from '../support/chromium.js';
import { openDashboard, seriousFaults, type OpenedDashboard } from '../support/dashboard.js';
import { startGateway } from '../support/gateway.js';
import { rawDatabase } from '../support/raw-database.js';
import { until } from '../support/until.js';

/** What admins and owners see first: the traffic of the gateway, and the use of a project. */
const browser = useChromium();
let gateway: Awaited<ReturnType<typeof startGateway>>;
let raw: Connection;
let admin: string;
beforeEach(async () => {
  gateway = await startGateway({
    env: { PLATFORM_HOST: 'pets.test', PUBLIC_URL: 'http://127.0.0.1:3000' },
  });
  raw = await rawDatabase(gateway);
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'The admin', role: 'admin' }));
});

let opened: OpenedDashboard[] = [];
afterEach(async () => {
  const finished = opened;
  opened = [];
  for (const { page } of finished) await page.context().close();
  await raw.close();
  await gateway.close();
  for (const { elsewhere, complaints } of finished) expect([elsewhere, complaints]).toEqual([[], []]);
});

async function open(path: string, apiKey: string): Promise<Page> {
  const one = await openDashboard(browser(), gateway, { apiKey, path });
  opened.push(one);
  await one.page.getByRole('heading', { level: 1 }).waitFor();
  return one.page;
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await seriousFaults(page)]).toEqual([colorScheme, []]);
  }
}

async function send(secret: string, count: number, path = '/v1/pets'): Promise<void> {
  for (let i = 0; i < count; i++) await (await gateway.request(path, { key: secret })).text();
}

async function writeCounts(): Promise<void> {
  const { load, recorder } = gateway.services;
  await until('no request to be under way', () =>
    Promise.resolve(load.state().inFlight + load.state().receiving === 0),
  );
  await recorder.flush();
}

/** The text as it is shown, on one line. */
const lineOf = async (shown: Locator) => (await shown.innerText()).replace(/\s+/g, ' ').trim();
const card = (page: Page, name: string) => page.getByRole('region', { name });
const small = { requestsPerMinute: 10, requestsPerDay: 10 };

test('the gateway page of an admin teaches while there is no traffic, and then follows it by itself', async () => {
  const page = await open('/dashboard', admin);
  await page.waitForURL('**/dashboard/admin');
  const traffic = card(page, 'Traffic');
  await traffic.getByText('No requests in the last hour').waitFor();
  await card(page, 'Banned keys').getByText('None.').waitFor();
  await page.getByText('All systems normal').waitFor();
  await expectAccessible(page);

  const { secret } = await gateway.keyOn('enterprise', small);
  await page.clock.install();
  await page.reload();
  await traffic.getByText('No requests in the last hour').waitFor();
  await send(secret, 12);
  await send(secret, 1, '/v1/dogs');
  await writeCounts();
  await page.clock.runFor(6_000);
  const totals = traffic.locator('.totals');
  await totals.getByText('13').waitFor();
  expect(await lineOf(totals)).toBe(
    'requests, last hour 13 client errors (4xx) 0 rejected (429) 3 23 % server errors (5xx) 0 bans 0',
  );
  expect(await gateway.services.traffic.last('hour', 1)).toMatchObject({ requests: 13 });
});

test('the chart gives its values to the pointer, to the arrow keys, and in a table', async () => {
  const { secret } = await gateway.keyOn('enterprise', small);
  await send(secret, 7);
  await writeCounts();
  const page = await open('/dashboard/admin', admin);
  const traffic = card(page, 'Traffic');
  await traffic.getByRole('button', { name: '30 days' }).click();
  const chart = traffic.getByRole('slider', { name: 'Requests by day and status: choose a bar' });
  const readout = traffic.locator('.chart-readout');
  await chart.waitFor();
  expect(await lineOf(readout)).toMatch(/^Total 2xx and 3xx 7 /);

  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d+ \w+: 7 2xx and 3xx, 0 4xx, 0 429, 0 5xx$/);
  expect(await lineOf(readout)).toMatch(/, so far 2xx and 3xx 7 /);
  await page.keyboard.press('Home');
  expect(await lineOf(readout)).toMatch(/2xx and 3xx 0 /);
  await page.keyboard.press('Escape');
  expect(await lineOf(readout)).toMatch(/^Total/);

  const { x = 0, y = 0, width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
  await page.mouse.move(x + width - 6, y + height / 2);
  await readout.getByText('so far').waitFor();
  await page.mouse.move(0, 0);
  await readout.getByText('Total').waitFor();

  await traffic.getByText('Show as a table').click();
  const table = traffic.getByRole('table', { name: 'Requests by day and status' });
  expect(await table.getByRole('row').count()).toBe(1 + 30);
  expect(await table.getByRole('row').last().getByRole('cell').allInnerTexts()).toContain('7');
  for (const [split, words] of [
    ['Interface', /REST 7 GraphQL 0/],
    ['Plan', /Free 0 .*Enterprise 7 /],
  ] as const) {
    await traffic.getByRole('button', { name: split, exact: true }).click();
    expect(await lineOf(readout)).toMatch(words);
  }
  await expectAccessible(page);
});

test('an admin sees which keys and domains need somebody, with links to them', async () => {
  const change = gateway.services.administration({ role: 'command line' });
  const near = await gateway.keyOn('enterprise', small, { name: 'Nearly used up' });
  const banned = await gateway.keyOn('pro', undefined, { name: 'Impatient' });
  await send(near.secret, 9);
  const policy = { strikes: 10, strikeWindowSeconds: 300, banSeconds: 600, maxBanSeconds: 3600 };
  await gateway.services.apiKeysStore.ban(banned.apiKey.id, Date.now(), policy);
  await writeCounts();
  const projectId = banned.apiKey.projectId ?? '';
  await change.createDeploy({ projectId, template: 'storefront' });
  const { id } = await change.addDomain(projectId, 'shop.customer.example');
  await raw.collection<{ _id: string }>('domains').updateOne(
    { _id: id },
    {
      $set: {
        'dns.state': 'failed',
        status: 'action_required',
        problem: { code: 'no_record', message: 'None.', at: new Date() },
      },
    },
  );

  const page = await open('/dashboard/admin', admin);
  await card(page, 'Keys near their limits').getByRole('link', { name: 'Nearly used up' }).waitFor();
  await card(page, 'Busiest keys today').getByRole('link', { name: 'Nearly used up' }).waitFor();
  await card(page, 'Banned keys').getByText('Banned until').waitFor();
  const domains = card(page, 'Domains needing action');
  await domains.getByText('The record is missing').waitFor();
  await page.getByText('1 domain needs action').waitFor();
  const links = await page.getByRole('main').getByRole('link').allInnerTexts();
  for (const text of ['All keys by use', 'All near their limits', 'All banned keys', 'Show domains'])
    expect(links.filter((one) => one === text)).toEqual([text]);
  await page.getByRole('link', { name: 'Show domains' }).click();
  await page.locator('section:focus', { hasText: 'Domains needing action' }).waitFor();
  await page.getByRole('link', { name: 'System', exact: true }).click();
  await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Show domains' }).click();
  await page.locator('section:focus', { hasText: 'Domains needing action' }).waitFor();
  await expectAccessible(page);
  await domains.getByRole('link', { name: 'shop.customer.example' }).click();
  await page.waitForURL(`**/projects/${projectId}/domains`);
});

test('the overview of a project leads a newcomer, and shows its use, and why requests were rejected', async () => {
  const { apiKey, secret: owner } = await gateway.keyOn('enterprise', small, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const page = await open('/dashboard', owner);
  await page.waitForURL(`**/projects/${projectId}`);
  await page.getByText('No requests in the last 14 days').waitFor();
  const step = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await step('Send a first request').getByText('To do:').waitFor();
  await card(page, 'Recent rejections').getByText('None.').waitFor();
  await expectAccessible(page);

  const domain = step('Add a custom domain');
  await domain.getByText('Possible when a site is published.').waitFor();
  expect(await domain.getByRole('link').count()).toBe(0);
  const change = gateway.services.administration({ role: 'command line' });
  await change.createDeploy({ projectId, template: 'storefront' });

  const { secret } = await gateway.services.apiKeys.create({ name: 'Web shop', projectId });
  await page.clock.install();
  await page.reload();
  await page.getByText('No requests in the last 14 days').waitFor();
  await domain.getByRole('link', { name: 'Add domain' }).waitFor();
  await send(secret, 11);
  await page.clock.runFor(11_000);
  // The quota counts at once, the chart later: the page does not say "No requests" meanwhile.
  await card(page, 'Quota today').getByText('10 of 10').first().waitFor();
  expect(await page.getByText('No requests in the last 14 days').count()).toBe(0);
  await writeCounts();
  await page.clock.runFor(11_000);
  const rejections = card(page, 'Recent rejections');
  await rejections.getByRole('link', { name: 'Web shop' }).waitFor();
  await rejections.getByText('limit of 10 requests was used up').waitFor();
  await step('Send a first request').getByText('Done:').waitFor();
  expect(await lineOf(card(page, 'Requests').locator('.totals'))).toBe(
    'today 11 last 14 days 11 rejected (429) 1 9.1 % bans 0',
  );
  const quota = card(page, 'Quota today');
  await quota.getByText('10 requests per minute and 10 per day').waitFor();
  expect(await quota.getByRole('meter').first().getAttribute('aria-valuetext')).toBe('10 of 10 used');
  await expectAccessible(page);
});

import type { Locator, Page } from 'playwright-core';
import type { Project } from '../../src/features/projects/project.js';
import { openDashboard } from '../support/dashboard.js';
import { isActive, PLATFORM_HOST } from '../support/domain-gateway.js';
import { startGateway } from '../support/gateway.js';
import { until } from '../support/until.js';
import { startDashboardWorld, type DashboardWorld } from './store-in-use.js';

/** The way that goes well is in test/e2e/dashboard.test.ts. */
let dashboard: DashboardWorld;
beforeAll(async () => {
  dashboard = await startDashboardWorld();
});
afterAll(() => dashboard.close());
afterEach(async () => {
  for (const context of dashboard.browser.contexts()) await context.close();
});

async function openDomains(project: Pick<Project, 'id'>): Promise<Page> {
  const { page } = await openDashboard(dashboard.browser, dashboard.gateway, {
    path: `/dashboard/projects/${project.id}/domains`,
    apiKey: await dashboard.ownerOf(project),
  });
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
  return page;
}

async function add(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('textbox', { name: 'Domain' }).fill(name);
  await page.keyboard.press('Enter');
}

const cardOf = (page: Page, name: string): Locator =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name }) });

test('shows what a problem expected and found, and the next check, until Verify finds it fixed', async () => {
  const { gateway, world } = dashboard;
  const project = await gateway.project('Fixed');
  const page = await openDomains(project);
  await add(page, 'shop.fixed.test');
  const card = cardOf(page, 'shop.fixed.test');
  await world.knot.set('shop.fixed.test', 'A', '192.0.2.7');
  await card.getByRole('button', { name: 'Verify shop.fixed.test' }).click();
  await card.getByText('An A record blocks the CNAME').waitFor();
  expect(await card.getByRole('definition').allInnerTexts()).toEqual([project.host, '192.0.2.7']);
  await card.getByText('The gateway checks again automatically').waitFor();
  const steps = async () =>
    (await card.getByRole('list', { name: 'Progress' }).getByRole('listitem').allInnerTexts()).map((text) =>
      text.replace(/^[\d!]/, '').replaceAll(/\s/g, ''),
    );
  expect(await steps()).toEqual([
    'Records:needsattention',
    'Verified:notstarted',
    'Certificate:notstarted',
    'Active:notstarted',
  ]);

  await world.knot.unset('shop.fixed.test', 'A');
  await world.knot.set('shop.fixed.test', 'CNAME', `${project.host}.`);
  await card.getByRole('button', { name: 'Verify shop.fixed.test' }).click();
  await card.getByText('Served over HTTPS.').waitFor();
  // The pressed button is gone.
  await card.locator('h2:focus').waitFor();
});

test('shows what `domains add` reports at the command line, until Verify', async () => {
  const { gateway, world } = dashboard;
  await world.knot.set('shop.taken.test', 'A', '192.0.2.99');
  const page = await openDomains(await gateway.project('Taken'));
  await add(page, 'shop.taken.test');
  const card = cardOf(page, 'shop.taken.test');
  await card.getByText('these problems remain:').waitFor();
  const obstacles = card.locator('.notice').getByRole('listitem');
  expect(await obstacles.allInnerTexts()).toEqual([
    expect.stringMatching(/^HTTP_PORT is not set: forward port 80 to PORT/),
    expect.stringMatching(/^\*\.pets\.test has no address in DNS\. Publish A and AAAA records/),
    expect.stringMatching(/^shop\.taken\.test has an A record \(192\.0\.2\.99\), which blocks the CNAME/),
  ]);
  await card.getByRole('button', { name: 'Verify shop.taken.test' }).click();
  await card.getByText('An A record blocks the CNAME').waitFor();
  expect(await card.getByText('these problems remain:').count()).toBe(0);
});

test('asks for ALIAS or ANAME and for TXT if another project has a name of the apex domain', async () => {
  const { gateway } = dashboard;
  const holder = await gateway.verifying('www.held.test');
  await gateway.reaches(holder, 'held', ({ holds }) => holds);
  const project = await gateway.project('Apex');
  const page = await openDomains(project);
  await add(page, 'held.test');
  const card = cardOf(page, 'held.test');
  await card.getByText('not every DNS provider supports these').waitFor();
  await card.getByText('proves that the domain is yours').waitFor();
  expect(await card.getByRole('row').allInnerTexts()).toEqual([
    expect.stringContaining('Type'),
    expect.stringMatching(/^ALIAS or ANAME\s+@\s+apex\.pets\.test\s+3600/),
    expect.stringMatching(/^TXT\s/),
  ]);
});

test('adds a domain with its www name, which redirects to it', async () => {
  const project = await dashboard.gateway.project('Pair');
  const page = await openDomains(project);
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('textbox', { name: 'Domain' }).fill('https://pair-store.test/');
  await page
    .getByLabel('With or without www')
    .selectOption('Also add www.pair-store.test and redirect it here');
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
  await cardOf(page, 'www.pair-store.test').waitFor();
  expect(await page.getByRole('row', { name: 'www.pair-store.test pair-store.test 301' }).count()).toBe(1);
});

test('after a downgrade, says when the domain stops being served', async () => {
  const { gateway } = dashboard;
  const domain = await gateway.verifying('shop.lapsing.test');
  await gateway.reaches(domain, 'a certificate', isActive);
  await gateway.services.administration({ role: 'command line' }).changePlan(domain.projectId, 'free');
  const page = await openDomains(await gateway.services.projects.get(domain.projectId));
  await page.getByText('The grace period after the downgrade ends on').waitFor();
  const card = cardOf(page, 'shop.lapsing.test');
  await card.getByText('If nothing changes, the site goes dark on').waitFor();
  expect(await card.getByText('Active').count()).toBe(1);
});

test('on Free, names the required plan instead of asking for a domain', async () => {
  const page = await openDomains(await dashboard.gateway.project('Frugal', 'free'));
  await page.getByText('Custom domains require a paid plan').waitFor();
  await page.getByRole('link', { name: 'Compare plans' }).waitFor();
  expect(await page.getByRole('button', { name: 'Add domain' }).count()).toBe(0);
});

test('without a deploy, leads to the deploys page first', async () => {
  const project = await dashboard.gateway.services.projects.create({ name: 'Empty', plan: 'pro' });
  const page = await openDomains(project);
  await page.getByText('Deploy the project first').waitFor();
  expect(await page.getByRole('button', { name: 'Add domain' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Go to Deploys' }).click();
  await page.getByRole('heading', { name: 'Deploys', level: 1 }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Deploys');
});

test('shows an error at the name field, and focuses it', async () => {
  const page = await openDomains(await dashboard.gateway.project('Wrong names'));
  await add(page, 'no spaces');
  const field = page.getByRole('textbox', { name: 'Domain' });
  await page.getByRole('alert').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toContain(
    await page.getByRole('dialog').getByRole('alert').getAttribute('id'),
  );
  expect(await page.evaluate('document.activeElement.name')).toBe('name');
});

test('rejects a redirect loop at the field', async () => {
  const { gateway } = dashboard;
  const domain = await gateway.verifying('a.circle.test');
  await gateway.reaches(domain, 'held', ({ holds }) => holds);
  const project = await gateway.services.projects.get(domain.projectId);
  const host = `${project.slug}.${PLATFORM_HOST}`;
  await gateway.services
    .administration({ role: 'command line' })
    .setRedirect(project.id, { from: domain.name, to: host });
  const page = await openDomains(project);
  await page.getByRole('button', { name: 'Add redirect' }).click();
  await page.getByLabel('From', { exact: true }).selectOption(host);
  await page.getByLabel('To', { exact: true }).selectOption('a.circle.test');
  await page.getByRole('dialog').getByRole('button', { name: 'Add redirect' }).click();
  await page.getByText(`Creates a redirect loop: ${host} → a.circle.test → ${host}.`).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Remove the redirect from a.circle.test' }).click();
  await page.getByText('No redirects.').waitFor();
});

test('everything works with the keyboard alone', async () => {
  const { gateway, world } = dashboard;
  const project = await gateway.project('Keyboard');
  const page = await openDomains(project);
  const press = (key: string) => page.keyboard.press(key);
  const hasFocus = (name: string) =>
    until(`the focus to be on ${name}`, async () => (await focused(page)) === name);
  const tabTo = (name: string) =>
    until(`the focus to be on ${name}`, async () => {
      await press('Tab');
      return (await focused(page)) === name;
    });

  // The first press leads past the header and the navigation.
  await press('Tab');
  await hasFocus('Skip to content');
  await press('Enter');
  await tabTo('Add domain');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('keys.only.test');
  await press('Enter');
  // The focus is at the new domain: what comes next is its button.
  await hasFocus('keys.only.test');
  await world.knot.set('keys.only.test', 'CNAME', `${project.host}.`);
  await tabTo('Verify keys.only.test');
  await press('Enter');
  await page.getByText('Served over HTTPS.').waitFor();

  await page.getByRole('heading', { name: 'Domains', level: 1 }).focus();
  await tabTo('Actions for keys.only.test');
  await press('Enter');
  await hasFocus('Set as primary');
  await press('ArrowUp');
  await hasFocus('Remove');
  await press('Escape');
  await hasFocus('Actions for keys.only.test');
  await press('Enter');
  await hasFocus('Set as primary');
  await press('End');
  await hasFocus('Remove');
  await press('Enter');
  await page.getByRole('dialog', { name: 'Remove keys.only.test?' }).waitFor();
  await press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await hasFocus('Actions for keys.only.test');
});

/** The name of what has the focus, as it is read out. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()',
  );
}

test('without PLATFORM_HOST, says that publishing is off and which setting turns it on', async () => {
  const gateway = await startGateway();
  try {
    const project = await gateway.services.projects.create({ name: 'Nowhere', plan: 'pro' });
    const { secret } = await gateway.services.apiKeys.create({
      name: 'Owner key',
      role: 'owner',
      projectId: project.id,
    });
    const { page } = await openDashboard(dashboard.browser, gateway, {
      path: `/dashboard/projects/${project.id}/domains`,
      apiKey: secret,
    });
    await page.getByText('Publishing is turned off on this gateway').waitFor();
    await page.getByText('PLATFORM_HOST').waitFor();
  } finally {
    for (const context of dashboard.browser.contexts()) await context.close();
    await gateway.close();
  }
});

import type { Page } from 'playwright-core';
import { useChromium } from '../support/chromium.js';
import { openDashboard, seriousFaults } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';
import { rawDatabase } from '../support/raw-database.js';
import { markServed } from '../features/publishing/domains/graphql-client.js';

/** What an owner does in a project of its own: reads the audit log, renames the project, sets the primary domain. */
const PLATFORM_HOST = 'pets.test';
const PHONE = { width: 390, height: 844 };

const browser = useChromium();
const gateway = useGateway({ env: { PLATFORM_HOST, PUBLIC_URL: 'http://127.0.0.1:3000' } });

afterEach(async () => {
  for (const context of browser().contexts()) await context.close();
});

async function newProject(name: string) {
  const { projects, apiKeys } = gateway.services;
  const project = await projects.create({ name, plan: 'pro' });
  const { secret } = await apiKeys.create({ name: `Owner of ${name}`, role: 'owner', projectId: project.id });
  return { project, owner: secret };
}

async function open(apiKey: string, path: string, viewport = { width: 1280, height: 900 }): Promise<Page> {
  const { page } = await openDashboard(browser(), gateway, { apiKey, path, viewport });
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

test('an owner sees the audit log of its project, and of no other', async () => {
  const change = gateway.services.administration({ role: 'command line' });
  const { project, owner } = await newProject('Happy Tails');
  const other = await newProject('Secret Paws');
  await change.changePlan(project.id, 'business');
  await change.changePlan(other.project.id, 'free');

  const page = await open(owner, `/dashboard/projects/${project.id}`);
  await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click();
  await page.waitForURL(`**/dashboard/projects/${project.id}/audit`);
  await page.getByRole('row').filter({ hasText: 'pro → business' }).waitFor();
  expect(await page.getByText('Secret Paws').count()).toBe(0);
  expect(await page.getByText('Choose a project').count()).toBe(0);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByLabel('Action').selectOption({ label: 'Deleted the project' });
  await page.getByText('No changes match these filters.').waitFor();

  await page.goto(`${gateway.url}/dashboard/projects/${other.project.id}/audit`);
  await page.getByText('An owner key can use its own project only.').waitFor();
  expect(await page.getByText('pro → free').count()).toBe(0);
});

test('an owner renames its project on a phone, where the header shows the new name at once', async () => {
  const { project, owner } = await newProject('Happy Tails');
  const page = await open(owner, `/dashboard/projects/${project.id}`, PHONE);
  const header = page.getByRole('banner');
  await header.getByRole('link', { name: 'Happy Tails' }).waitFor();
  await page.getByRole('button', { name: 'Rename Happy Tails' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The built-in storefront shows the new name after its next deploy').waitFor();
  await dialog.getByLabel('Name').fill('A shelter with a name that is too long for the header of a phone');
  await dialog.getByRole('button', { name: 'Rename project' }).click();
  await header.getByRole('link', { name: 'A shelter with a name' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'A shelter with a name' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  expect(await seriousFaults(page)).toEqual([]);
});

test('the first domain that is served is offered as the primary one, until it is', async () => {
  const { project, owner } = await newProject('Offered');
  const change = gateway.services.administration({ role: 'command line' });
  await change.createDeploy({ projectId: project.id, template: 'storefront' });
  const page = await open(owner, `/dashboard/projects/${project.id}/domains`);
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('textbox', { name: 'Domain' }).fill('https://shop.offered.test/');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'shop.offered.test' }).waitFor();
  const offer = page.getByRole('button', { name: 'Set as primary: shop.offered.test' });
  expect(await offer.count()).toBe(0);

  const [added] = (await gateway.services.customerDomains?.service.ofProject(project.id)) ?? [];
  const raw = await rawDatabase(gateway);
  await markServed(raw, String(added?.id));
  await raw.close();
  await page.reload();
  await page.getByText(`The primary domain is still ${project.slug}.${PLATFORM_HOST}.`).waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  await offer.click();
  await page.getByText('Primary', { exact: true }).waitFor();
  await offer.waitFor({ state: 'detached' });
});

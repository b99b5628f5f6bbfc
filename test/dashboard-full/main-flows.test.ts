import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { visit } from '../interfaces/sites/visitor.js';
import { launchChromium } from '../support/chromium.js';
import { openDashboard, signIn } from '../support/dashboard.js';
import {
  PLATFORM_HOST,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { launchFirefox } from '../support/firefox.js';
import { mustRun } from '../support/run-program.js';
import { until } from '../support/until.js';

/** The main flows of the dashboard, the same in each browser. The other files of this folder go deeper, in Chromium. */
let world: DomainWorld;
let gateway: DomainGateway;
let folder: string;
beforeAll(async () => {
  [world, folder] = await Promise.all([startDomainWorld(), mkdtemp(join(tmpdir(), 'pets-gateway-flows-'))]);
  gateway = await startDomainGateway(world);
});
afterAll(async () => {
  await gateway.close();
  await world.close();
  await rm(folder, { recursive: true });
});

const askPets = async (key: string) => (await gateway.request('/v1/pets', { key })).status;
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

describe.each([
  ['Chromium', launchChromium],
  ['Firefox', launchFirefox],
])('in %s', (name, launch) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  /** Signs in as a person does it, runs a flow, and signs out. */
  async function inDashboard(apiKey: string, flow: (page: Page) => Promise<void>): Promise<void> {
    const { page, elsewhere, complaints } = await openDashboard(browser, gateway, {});
    await signIn(page, apiKey);
    await flow(page);
    await press(page, 'Sign out');
    await page.getByText('You are signed out.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    expect([elsewhere, complaints]).toEqual([[], []]);
    await page.context().close();
  }
  async function startProject() {
    const project = await gateway.services.projects.create({ name: 'Happy Tails', plan: 'pro' });
    const { secret } = await gateway.services.apiKeys.create({
      name: 'Owner key',
      role: 'owner',
      projectId: project.id,
    });
    return { project, owner: secret };
  }
  /** A link of the navigation: the overview of a project leads to some of its pages too. */
  const follow = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name, exact: true }).click();

  test('an owner creates a key, finds it by its name and revokes it', async () => {
    const { owner } = await startProject();
    await inDashboard(owner, async (page) => {
      await follow(page, 'Keys and quota');
      await press(page, 'Create key');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Shop backend');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const secret = await dialog.getByLabel('Secret', { exact: true }).innerText();
      expect(await askPets(secret)).toBe(200);
      await press(page, 'I’ve saved this key');
      await dialog.waitFor({ state: 'detached' });

      await page.getByLabel('Name', { exact: true }).fill('backend');
      await page.waitForURL('**/keys?nameContains=backend');
      await until('the key alone', async () => (await page.getByRole('row').count()) === 1 + 1);
      await page.getByRole('link', { name: 'Shop backend', exact: true }).click();
      await press(page, 'Revoke');
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Revoke key' });
      await page.keyboard.type('Shop');
      expect(await confirm.isDisabled()).toBe(true);
      await page.keyboard.type(' backend');
      await confirm.click();
      await page.getByText('Revoked', { exact: true }).first().waitFor();
      expect(await askPets(secret)).toBe(401);
    });
  });

  test('an owner publishes a site from a file', async () => {
    const { project, owner } = await startProject();
    await writeFile(join(folder, 'index.html'), '<h1>Our own</h1>');
    const archive = join(folder, 'site.tar.gz');
    await mustRun('tar', ['--create', '--gzip', '--file', archive, '--directory', folder, 'index.html']);
    await inDashboard(owner, async (page) => {
      await follow(page, 'Deploys');
      await press(page, 'Upload a site');
      await page.getByLabel('Or an archive').setInputFiles(archive);
      await page.getByText(/^site\.tar\.gz, /).waitFor();
      await press(page, 'Upload and publish');
      await page.getByText('Deploy #1 is live.').waitFor();
      const { text } = await visit(gateway, `${project.slug}.${PLATFORM_HOST}`, '/');
      expect(text).toBe('<h1>Our own</h1>');
    });
  });

  test('an owner adds a domain and gets its DNS record', async () => {
    const { owner, project } = await startProject();
    const change = gateway.services.administration({ role: 'command line' });
    await change.createDeploy({ projectId: project.id, template: 'storefront' });
    await inDashboard(owner, async (page) => {
      await follow(page, 'Domains');
      await press(page, 'Add domain');
      await page.getByRole('textbox', { name: 'Domain' }).fill(`shop.${name.toLowerCase()}.test`);
      await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('cell', { name: 'CNAME', exact: true }).waitFor();
      await page.getByText('DNS changes may take up to 48 hours to propagate.').waitFor();
    });
  });

  test('an admin filters the audit log', async () => {
    const { project } = await startProject();
    await gateway.services.administration({ role: 'command line' }).changePlan(project.id, 'free');
    const admin = await gateway.services.apiKeys.create({ name: 'Store admin', role: 'admin' });
    await inDashboard(admin.secret, async (page) => {
      await follow(page, 'Audit log');
      await page.getByLabel('Action').selectOption({ label: 'Changed the plan' });
      await page.waitForURL('**/audit?action=project.changePlan');
      await rowOf(page, 'pro → free').first().waitFor();
      await page.getByLabel('Made by').selectOption({ label: 'The gateway itself' });
      await page.getByText('No changes match these filters.').waitFor();
    });
  });
});

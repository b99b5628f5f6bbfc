import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PLATFORM_HOST, startPlatform, visit } from '../interfaces/sites/visitor.js';
import { useChromium } from '../support/chromium.js';
import { startGateway, useStarted } from '../support/gateway.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { drop, openDashboard } from '../support/dashboard.js';

const browser = useChromium();
const gateway = useStarted(startPlatform);
const folder = useTemporaryFolder();

interface OpenPage {
  page: Page;
  projectId: string;
  pageOf: (path: string) => Promise<string>;
}

async function openDeploys(): Promise<OpenPage> {
  const project = await gateway.services.projects.create({ name: 'Happy Tails' });
  const { secret } = await gateway.services.apiKeys.create({
    name: 'Owner key',
    role: 'owner',
    projectId: project.id,
  });
  const { page } = await openDashboard(browser(), gateway, {
    path: `/dashboard/projects/${project.id}/deploys`,
    apiKey: secret,
  });
  await page.getByText('No deploys yet').waitFor();
  const host = `${project.slug}.${PLATFORM_HOST}`;
  return {
    page,
    projectId: project.id,
    pageOf: async (path) => (await visit(gateway, host, path, { headers: { accept: 'text/html' } })).text,
  };
}

/** A long path, so that a tar has to part it, and letters beyond ASCII. */
const LONG = join('photographs', 'a'.repeat(60), 'ö'.repeat(20), 'flöckchen.txt');

async function siteFolder(index: string): Promise<string> {
  const site = await mkdtemp(join(folder(), 'site-'));
  await mkdir(join(site, LONG, '..'), { recursive: true });
  await writeFile(join(site, LONG), 'a photograph');
  await mkdir(join(site, '.git'));
  await writeFile(join(site, '.git', 'config'), 'not for visitors');
  await writeFile(join(site, 'index.html'), index);
  return site;
}

test('the page of animals links to the site, once there is one to open', async () => {
  const { page } = await openDeploys();
  await page.getByRole('link', { name: 'Animals', exact: true }).click();
  await page.getByText('Changes show in the responses of the API.').waitFor();
  await page.getByRole('link', { name: 'Deploys' }).click();
  await page.getByRole('button', { name: 'Publish the storefront' }).last().click();
  await page.getByText('Deploy #1 is live at').waitFor();
  await page.getByRole('link', { name: 'Animals', exact: true }).click();
  const link = page.getByRole('link', { name: 'your site' });
  expect(await link.getAttribute('href')).toContain(PLATFORM_HOST);
});

test('publishes the storefront in one click, then a folder, and rolls back', async () => {
  const { page, pageOf } = await openDeploys();
  await page.getByRole('button', { name: 'Publish the storefront' }).last().click();
  await page.getByText('Deploy #1 is live at').waitFor();
  expect(await pageOf('/')).toContain('Happy Tails');

  await page.getByRole('button', { name: 'Upload a site' }).click();
  const dialog = page.getByRole('dialog');
  expect(await page.evaluate('document.activeElement.name')).toBe('files');
  await dialog.getByLabel('Folder').setInputFiles(await siteFolder('<h1>Our own</h1>'));
  await dialog.getByText(/^site-\w+: \d+ files, \d+ bytes$/).waitFor();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Made at home');
  await dialog.getByRole('button', { name: 'Upload and publish' }).click();
  await page.getByText('Deploy #2 is live.').waitFor();
  expect(await pageOf('/')).toBe('<h1>Our own</h1>');
  expect(await pageOf(`/${encodeURI(LONG)}`)).toBe('a photograph');
  await page.getByRole('cell', { name: 'Made at home' }).waitFor();
  await page
    .getByRole('row')
    .filter({ hasText: '#2' })
    .getByText(/^\d+ added, 1 changed/)
    .waitFor();

  await page.getByRole('button', { name: 'Roll back to deploy #1' }).click();
  const undone = page.getByRole('dialog').getByText(/ 1 changed, 1 removed$/);
  await undone.click();
  await page.getByRole('dialog').getByText('index.html').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.getByText('Deploy #1 is live.').waitFor();
  expect(await pageOf('/')).toContain('Happy Tails');

  // What visitors get now would go out of sight: that is asked about.
  await page.getByRole('button', { name: 'Publish the storefront' }).click();
  await page.getByText('It replaces deploy #1').waitFor();
});

test('publishes a single-page application: an address without a file shows its index.html', async () => {
  const { page, pageOf } = await openDeploys();
  await page.getByRole('button', { name: 'Upload a site' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Folder').setInputFiles(await siteFolder('<h1>An app</h1>'));
  await dialog.getByLabel('Addresses without a file').selectOption('app');
  await dialog.getByRole('button', { name: 'Upload and publish' }).click();
  await page.getByText('Deploy #1 is live.').waitFor();
  await page.getByText('Single-page application').waitFor();
  expect(await pageOf('/animals/42')).toBe('<h1>An app</h1>');
});

test('says that a deploy is not live if a newer one was published during its upload', async () => {
  const { page, projectId, pageOf } = await openDeploys();
  await page.route('**/archive', async (route) => {
    await gateway.services
      .administration({ role: 'command line' })
      .deploySite({ projectId }, [{ path: 'index.html', bytes: Buffer.from('<h1>Newer</h1>') }]);
    await route.continue();
  });
  await page.getByRole('button', { name: 'Upload a site' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Folder').setInputFiles(await siteFolder('<h1>Slower</h1>'));
  await dialog.getByRole('button', { name: 'Upload and publish' }).click();
  await page.getByText('Deploy #1 is ready, but not live. Deploy 2, which is newer, was live').waitFor();
  const row = page.getByRole('row').filter({ hasText: '#1' });
  await row.getByText('Deploy 2, which is newer, was live').waitFor();
  await row.getByRole('button', { name: 'Roll back to deploy #1' }).waitFor();
  expect(await pageOf('/')).toBe('<h1>Newer</h1>');
});

test('publishes a folder that is dropped, and says what was dropped', async () => {
  const { page, pageOf } = await openDeploys();
  await page.getByRole('button', { name: 'Upload a site' }).click();
  const dialog = page.getByRole('dialog');
  const zone = dialog.getByText('Drop a folder or a .tar.gz file here');
  await drop(page, zone, [await siteFolder('<h1>Dropped</h1>')]);
  // Without the folder whose name begins with a dot.
  await dialog.getByText(/^site-\w+: 2 files/).waitFor();
  await dialog.getByRole('button', { name: 'Upload and publish' }).click();
  await page.getByText('Deploy #1 is live.').waitFor();
  expect(await pageOf('/')).toBe('<h1>Dropped</h1>');
  expect(await pageOf(`/${encodeURI(LONG)}`)).toBe('a photograph');
});

test('offers no deploy where publishing is off, and names the settings that turn it on', async () => {
  const off = await startGateway();
  try {
    const { apiKey, secret } = await off.keyOn('free', undefined, { role: 'owner' });
    const { page } = await openDashboard(browser(), off, {
      path: `/dashboard/projects/${apiKey.projectId}/deploys`,
      apiKey: secret,
    });
    const notice = page.getByText('Publishing is turned off on this gateway').locator('..');
    expect(await notice.innerText()).toContain('set PLATFORM_HOST and PUBLIC_URL, then restart');
    for (const name of ['Upload a site', 'Publish the storefront'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  } finally {
    await off.close();
  }
});

test('shows why an archive was rejected, at the field and in the list, and changes nothing', async () => {
  const { page } = await openDeploys();
  const path = join(folder(), 'site.tar.gz');
  await writeFile(path, 'no archive');
  await page.getByRole('button', { name: 'Upload a site' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Upload and publish' }).click();
  await dialog.getByText('Choose a folder or an archive.').waitFor();
  await dialog.getByLabel('Or an archive').setInputFiles(path);
  await dialog.getByRole('button', { name: 'Upload and publish' }).click();
  await dialog.getByRole('alert').getByText('not gzip').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const row = page.getByRole('row').filter({ hasText: '#1' });
  await row.getByText('Failed', { exact: true }).waitFor();
  await row.getByText('not gzip').waitFor();
  expect(await page.getByText('is live').count()).toBe(0);
});

test('does not send a folder without index.html', async () => {
  const { page } = await openDeploys();
  const site = await siteFolder('');
  await rm(join(site, 'index.html'));
  await page.getByRole('button', { name: 'Upload a site' }).click();
  await page.getByRole('dialog').getByLabel('Folder').setInputFiles(site);
  await page.getByRole('button', { name: 'Upload and publish' }).click();
  await page.getByText('The folder has no index.html at its top level.').waitFor();
});

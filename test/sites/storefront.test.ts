import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.js';
import type { Project } from '../../src/projects/project.js';
import { PLATFORM_HOST, startPlatform, visit } from './visitor.js';

let gateway: Awaited<ReturnType<typeof startPlatform>>;
let browser: Browser;
let skippedMs = 0;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([
    startPlatform({ clock: () => Date.now() + skippedMs }),
    launchChromium(),
  ]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await gateway.close();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const change = () => gateway.services.administration({ role: 'command line' });
const siteOf = ({ slug }: Project) => `http://${slug ?? ''}.${PLATFORM_HOST}:${new URL(gateway.url).port}`;

async function deployStorefront(name = 'Paws & <Claws>'): Promise<Project> {
  const project = await gateway.services.projects.create({ name, plan: 'pro' });
  await change().createDeploy({ projectId: project.id, template: 'storefront' });
  return project;
}

/** Opens the site; what it asked others for and what it complained about is collected. */
async function open(project: Project, options: BrowserContextOptions = {}, path = '/') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== siteOf(project)) elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(siteOf(project) + path);
  return { page, elsewhere, complaints };
}

/** For looking at the pages: SCREENSHOTS names a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

const names = (page: Page) => page.locator('.animal .name').allInnerTexts();

test('without any animal the page says so', async () => {
  const project = await deployStorefront();
  const { page } = await open(project);
  await page.getByText('Nobody is available right now').waitFor();
  await shoot(page, 'empty-1280');
  await page.getByRole('button', { name: 'Show all animals' }).click();
  await page.getByText('There are no animals yet').waitFor();
  expect(new URL(page.url()).search).toBe('?status=all');
});

describe('with animals', () => {
  const available = Array.from({ length: 14 }, (_, i) => `Animal ${i + 1}`);
  beforeAll(async () => {
    // The answer that there is none is kept for a while.
    skippedMs += 20_000;
    const kinds = [
      'Luna',
      'Rex',
      'Milo',
      'Flöckchen',
      'Bella',
      '<b>Bobby</b>',
      'Oskar',
      'Nala',
      'Balu',
      'Minka',
    ];
    await gateway.services.petsStore.insertMany([
      ...available.map((name, i) => ({
        name: kinds[i] ?? name,
        categoryId: BigInt(i % 4) + 1n,
        status: 'available' as const,
      })),
      { name: 'Ginger', categoryId: 9007199254740993n, status: 'pending' },
      { name: 'Zorro', categoryId: 2n, status: 'sold' },
    ]);
  });

  test('it shows them page by page, asks nobody else and complains of nothing', async () => {
    const project = await deployStorefront();
    const { page, elsewhere, complaints } = await open(project);
    await page.getByText('Luna').waitFor();
    expect(await page.title()).toBe('Paws & <Claws>: animals looking for a home');
    expect(await names(page)).toHaveLength(12);
    expect(await names(page)).toContain('<b>Bobby</b>');
    await shoot(page, 'first-page');

    await page.getByRole('button', { name: 'Load more' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Animal 14').waitFor();
    expect(await names(page)).toHaveLength(14);
    expect(await page.getByRole('button', { name: 'Load more' }).isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Animal 13');
    expect(await page.locator('#count').innerText()).toBe('14 animals');
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  });

  test('the filter is used from the keyboard, and stands in the address', async () => {
    const project = await deployStorefront();
    const { page } = await open(project);
    await page.getByText('Luna').waitFor();
    await page.getByRole('radio', { name: 'Available' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Ginger').waitFor();
    expect(await names(page)).toEqual(['Ginger']);
    expect(await page.locator('.category').innerText()).toBe('Category 9007199254740993');
    await page.keyboard.press('ArrowRight');
    await page.getByText('Zorro').waitFor();
    await page.reload();
    await page.getByText('Zorro').waitFor();
    expect(await names(page)).toEqual(['Zorro']);
    expect(await page.getByRole('radio', { name: 'Found a home' }).isChecked()).toBe(true);
  });

  test('a visitor who asks too often is told when it tries again, and it does', async () => {
    const project = await deployStorefront();
    const { page } = await open(project);
    await page.getByText('Luna').waitFor();
    // Stands for the gateway's own refusal, whose minute nobody waits for in a test.
    await page.route(
      '**/graphql',
      (route) => route.fulfill({ status: 429, headers: { 'retry-after': '2' } }),
      {
        times: 1,
      },
    );
    await page.getByRole('radio', { name: 'Pending' }).check();
    await page.getByText('So many visitors at once').waitFor();
    expect(await page.locator('#notice-text').innerText()).toMatch(
      /back in (2 seconds|a second)\. .*tries again by itself/,
    );
    expect(await page.getByRole('button').count()).toBe(0);
    await shoot(page, 'busy-1280');
    await page.getByText('Ginger').waitFor();
    expect(await page.locator('#notice').isVisible()).toBe(false);
  });

  test('the 429 of the gateway itself reaches the page', async () => {
    const project = await deployStorefront();
    const { page } = await open(project);
    for (let i = 0; i < 31; i++) await page.reload();
    await page.getByText('So many visitors at once').waitFor();
    expect(await page.locator('#notice-text').innerText()).toMatch(/back in [1-9]\d? seconds/);
  });

  test('a failure has a way to try again, and keeps what is shown', async () => {
    const project = await deployStorefront();
    const { page } = await open(project);
    await page.getByText('Luna').waitFor();
    await page.route('**/graphql', (route) => route.abort(), { times: 2 });
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await names(page)).toHaveLength(12);
    await shoot(page, 'failed-1280');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Animal 14').waitFor();
    expect(await names(page)).toHaveLength(14);
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('at %i px, %s, nothing is cut off', async (width, colorScheme) => {
    const project = await deployStorefront('Tierheim am Waldrand');
    const { page } = await open(project, { viewport: { width, height: 844 }, colorScheme });
    await page.getByText('Luna').waitFor();
    await shoot(page, `store-${width}-${colorScheme}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test('what is not there is a page that leads back', async () => {
    const project = await deployStorefront();
    const { page } = await open(project, {}, '/nothing/here');
    await shoot(page, 'not-found-1280');
    await page.getByRole('link', { name: 'See the animals' }).click();
    await page.getByText('Luna').waitFor();
  });
});

describe('its key', () => {
  const keyIn = async (project: Project) => {
    const { text } = await visit(gateway, `${project.slug ?? ''}.${PLATFORM_HOST}`, '/');
    return /<meta name="api-key" content="(pets_live_\w+)"/.exec(text)?.[1] ?? '';
  };
  const storefrontKeys = (project: Project) => gateway.services.apiKeys.list({ projectId: project.id });

  test('is a browser key of the project, made in the name of who deploys', async () => {
    const project = await deployStorefront();
    expect(await storefrontKeys(project)).toMatchObject([
      {
        name: 'Storefront',
        role: 'browser',
        allowedOrigins: [`http://${project.slug ?? ''}.${PLATFORM_HOST}:3000`],
      },
    ]);
    const { key } = await gateway.services.authenticator.authenticate(await keyIn(project));
    expect(key.projectId).toBe(project.id);
  });

  test('is the same in the next deploy, so that one can go back', async () => {
    const project = await deployStorefront();
    const first = await keyIn(project);
    await change().createDeploy({ projectId: project.id, template: 'storefront' });
    expect([await keyIn(project), (await storefrontKeys(project)).length]).toEqual([first, 1]);
  });

  test('is another once it is revoked', async () => {
    const project = await deployStorefront();
    const first = await keyIn(project);
    const [key] = await storefrontKeys(project);
    await change().revokeApiKey(key?.id ?? '');
    await change().createDeploy({ projectId: project.id, template: 'storefront' });
    expect(await keyIn(project)).not.toBe(first);
    expect(await storefrontKeys(project)).toHaveLength(2);
  });
});

import { EventEmitter, once } from 'node:events';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useChromium } from '../support/chromium.js';
import { seriousFaults } from '../support/dashboard.js';
import { useStarted } from '../support/gateway.js';
import { rawDatabase } from '../support/raw-database.js';
import type { CustomQuota } from '../../src/features/plans/plans.js';
import type { Project } from '../../src/features/projects/project.js';
import { AMPLE, PLATFORM_HOST, startPlatform, visit } from '../interfaces/sites/visitor.js';

const SHARE = 30;

let skippedMs = 0;
const browser = useChromium();
const gateway = useStarted(() =>
  startPlatform({
    clock: () => Date.now() + skippedMs,
    env: { BROWSER_REQUESTS_PER_MINUTE_PER_IP: String(SHARE) },
  }),
);

const change = () => gateway.services.administration({ role: 'command line' });
const hostOf = ({ slug }: Project) => `${slug}.${PLATFORM_HOST}`;
const siteOf = (project: Project) => `http://${hostOf(project)}:${new URL(gateway.url).port}`;

async function deployStorefront(name = 'Paws & <Claws>', customQuota: CustomQuota = AMPLE): Promise<Project> {
  const project = await gateway.services.projects.create({ name, plan: 'enterprise', customQuota });
  // The animals of these tests belong to no project. A project's own: test/interfaces/sites/own-animals.
  await change().updateProject(project.id, { siteAnimals: 'all' });
  await change().createDeploy({ projectId: project.id, template: 'storefront' });
  return project;
}

async function keyIn(project: Project): Promise<string> {
  const { text } = await visit(gateway, hostOf(project), '/');
  return /<meta name="api-key" content="(pets_live_\w+)"/.exec(text)?.[1] ?? '';
}

/** What has been answered is shared for ten seconds. */
function forgetAnswers() {
  skippedMs += 20_000;
}

const storefrontKeys = (project: Project) => gateway.services.apiKeys.list({ projectId: project.id });

interface Opening extends BrowserContextOptions {
  path?: string;
  /** Called before the page is asked for. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Opens the site; what it asks for, and what the browser complains about, is collected. */
async function open(project: Project, { path = '/', prepare, ...options }: Opening = {}) {
  const context = await browser().newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const asked: URL[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url())));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await prepare?.(page);
  await page.goto(siteOf(project) + path);
  return { page, asked, complaints };
}

/** For looking at the pages: SCREENSHOTS names a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

const names = (page: Page) => page.locator('.animal .name').allInnerTexts();
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const showMore = (page: Page) => page.getByRole('button', { name: 'Show more' });
const button = (page: Page, name: string) => page.getByRole('button', { name });
/** A heading, since the same words are also said aloud. */
const title = (page: Page, name: string) => page.getByRole('heading', { name });
const noticeText = (page: Page) => page.locator('#notice-text').innerText();
const countText = (page: Page) => page.getByRole('status').innerText();
const filterInAddress = (page: Page) => new URL(page.url()).searchParams.get('status');

test('an empty list says so, and links to all animals', async () => {
  const { page } = await open(await deployStorefront());
  for (const [filter, words] of [
    ['Available', 'No animals are available right now'],
    ['Adopted', 'No animals have been adopted yet'],
    ['Reserved', 'No animals are reserved right now'],
  ] as const) {
    await link(page, filter).click();
    await title(page, words).waitFor();
    expect(await countText(page)).toBe(words);
  }
  await shoot(page, 'empty');
  expect(await seriousFaults(page)).toEqual([]);
  await button(page, 'Show all animals').click();
  await title(page, 'There are no animals yet').waitFor();
  expect(filterInAddress(page)).toBe('all');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('All');
});

describe('with animals', () => {
  const SCRIPT_AS_NAME = `<img src="x" onerror="document.title = 'taken over'">`;
  const names14 = [
    'Luna',
    'Rex',
    SCRIPT_AS_NAME,
    'Milo',
    'Flöckchen',
    'Bella',
    'سيمبا',
    'Oskar',
    'Nala',
    'Balu',
  ].concat(['Minka', 'Coco', 'Wanda', 'Zoe']);
  beforeAll(async () => {
    forgetAnswers();
    await gateway.services.petsStore.insertMany([
      ...names14.map((name, i) => ({ name, categoryId: BigInt(i % 6), status: 'available' as const })),
      { name: 'Ginger', categoryId: 9007199254740993n, status: 'pending' },
      { name: 'Zorro', categoryId: 2n, status: 'sold' },
    ]);
  });
  afterAll(async () => {
    const raw = await rawDatabase(gateway);
    await raw.collection('pets').deleteMany();
    await raw.close();
    forgetAnswers();
  });

  async function openWithAnimals(opening?: Opening) {
    const project = await deployStorefront();
    const opened = await open(project, opening);
    await page1(opened.page);
    return { project, ...opened };
  }

  const page1 = (page: Page) => page.getByText('Luna').waitFor();

  test.each([390, 1280])('reserved and adopted animals say so and look so, %i pixels wide', async (width) => {
    const { page } = await openWithAnimals({ path: '/?status=all', viewport: { width, height: 900 } });
    await showMore(page).click();
    for (const [name, word] of [
      ['Ginger', 'Reserved'],
      ['Zorro', 'Adopted'],
      ['Luna', 'Available'],
    ] as const) {
      const card = page.locator('.animal', { hasText: name });
      await card.getByText(word, { exact: true }).waitFor();
      const isIt = `(animal) => animal.textContent.includes('${name}')`;
      const face = `[...document.querySelectorAll('.animal')].find(${isIt}).querySelector('.face')`;
      const filter: string = await page.evaluate(`getComputedStyle(${face}).filter`);
      expect(filter).toMatch(word === 'Available' ? /^none$/ : /opacity/);
    }
    expect(await seriousFaults(page)).toEqual([]);
    await shoot(page, `statuses-${width}`);
  });

  test('shows them page by page to the end, with nothing from elsewhere and no warnings', async () => {
    const { project, page, asked, complaints } = await openWithAnimals();
    expect(await page.title()).toBe('Paws & <Claws>: animals looking for a home');
    expect(await names(page)).toEqual(names14.slice(0, 12));
    expect(await countText(page)).toBe('12 animals shown. There are more.');

    await showMore(page).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Wanda').waitFor();
    expect(await names(page)).toEqual(names14);
    expect(await countText(page)).toBe('14 animals');
    expect(await showMore(page).isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Wanda');

    expect(complaints).toEqual([]);
    expect(new Set(asked.map(({ origin }) => origin))).toEqual(new Set([siteOf(project)]));
    const paths = asked.map(({ pathname }) => pathname);
    expect(paths.filter((path) => path === '/graphql')).toHaveLength(2);
    expect([...new Set(paths)].toSorted()).toEqual([
      '/',
      '/animals.svg',
      '/graphql',
      '/paw.svg',
      '/portrait.js',
      '/read-animals.js',
      '/storefront.css',
      '/storefront.js',
    ]);
  });

  test('shows every name as text', async () => {
    const { page } = await openWithAnimals();
    expect(await page.getByText(SCRIPT_AS_NAME).isVisible()).toBe(true);
    expect(await page.locator('#animals img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken over');
  });

  test('the address, the title and the screen reader have the filter', async () => {
    const { page } = await openWithAnimals();
    await link(page, 'Reserved').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Ginger').waitFor();
    expect(await names(page)).toEqual(['Ginger']);
    expect(await countText(page)).toBe('1 animal');
    expect(await page.locator('.category').innerText()).toBe('Category 9007199254740993');
    expect(await page.title()).toBe('Reserved: Paws & <Claws>');
    expect(await page.locator('[aria-current=page]').allInnerTexts()).toEqual(['Reserved']);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Reserved');
    expect(filterInAddress(page)).toBe('pending');
    await page.reload();
    await page.getByText('Ginger').waitFor();
    expect(await names(page)).toEqual(['Ginger']);
  });

  test('an invalid filter shows the available animals', async () => {
    const { project, page } = await openWithAnimals({ path: '/?status=nobody' });
    for (const search of ['?status=', '?status=toString', '?stat=sold']) {
      expect(await page.locator('[aria-current=page]').allInnerTexts()).toEqual(['Available']);
      await page.goto(`${siteOf(project)}/${search}`);
      await page1(page);
    }
  });

  test('back and forward show each list as it was left, and read nothing', async () => {
    const { page, asked } = await openWithAnimals();
    await showMore(page).click();
    await page.getByText('Wanda').waitFor();
    await link(page, 'Adopted').click();
    await page.getByText('Zorro').waitFor();
    const reads = () => asked.filter(({ pathname }) => pathname === '/graphql').length;
    const readsBefore = reads();
    await page.goBack();
    expect(await names(page)).toEqual(names14);
    expect(await page.locator('[aria-current=page]').allInnerTexts()).toEqual(['Available']);
    await page.goForward();
    expect(await names(page)).toEqual(['Zorro']);
    expect(reads()).toBe(readsBefore);
  });

  test('after a 429, says when it retries, and retries', async () => {
    const project = await deployStorefront();
    const { page } = await open(project, { prepare: (page) => page.clock.install() });
    await page1(page);
    const headers = { authorization: `Bearer ${await keyIn(project)}` };
    for (let used = 1; used < SHARE; used++)
      expect((await visit(gateway, hostOf(project), '/graphql?query={pets{id}}', { headers })).status).toBe(
        200,
      );

    await link(page, 'Reserved').click();
    await title(page, 'Too many visitors right now').waitFor();
    expect(await noticeText(page)).toMatch(/^This page tries again automatically in [1-9]\d? seconds\.$/);
    expect(await button(page, 'Try again').count()).toBe(0);
    await shoot(page, 'busy');
    skippedMs += 61_000;
    await page.clock.fastForward(61_000);
    await page.getByText('Ginger').waitFor();
    expect(await page.locator('#notice').isVisible()).toBe(false);
  });

  test('when the daily quota is used up, says at what time it retries', async () => {
    const project = await deployStorefront('Small', { requestsPerMinute: 10, requestsPerDay: 1 });
    forgetAnswers();
    const { page } = await open(project);
    await page1(page);
    await link(page, 'Reserved').click();
    await title(page, 'Too many visitors right now').waitFor();
    expect(await noticeText(page)).toMatch(/^This page tries again automatically at \d?\d:\d\d.*\.$/);
  });

  test('another filter ends the wait', async () => {
    const { page } = await openWithAnimals();
    await page.route(
      '**/graphql',
      (route) => route.fulfill({ status: 503, headers: { 'retry-after': '30' } }),
      { times: 1 },
    );
    await link(page, 'Reserved').click();
    await title(page, 'This page is unavailable right now').waitFor();
    await link(page, 'Adopted').click();
    await page.getByText('Zorro').waitFor();
    expect(await page.locator('#notice').isVisible()).toBe(false);
  });

  test('a failure keeps the shown animals, and offers a retry', async () => {
    const { page } = await openWithAnimals();
    await page.route('**/graphql', (route) => route.abort(), { times: 2 });
    await showMore(page).click();
    await title(page, 'We couldn’t load more animals').waitFor();
    expect(await names(page)).toHaveLength(12);
    await shoot(page, 'failed');
    await button(page, 'Try again').click();
    await button(page, 'Try again').click();
    await page.getByText('Wanda').waitFor();
    expect(await names(page)).toEqual(names14);
    expect(await page.evaluate('document.activeElement.innerText')).toContain('Wanda');
  });

  test('without a connection, says so, and continues once there is one', async () => {
    const { page } = await openWithAnimals();
    await page.context().setOffline(true);
    await link(page, 'Reserved').click();
    await title(page, 'You are offline').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Ginger').waitFor();
    expect(await names(page)).toEqual(['Ginger']);
  });

  test('a page with an outdated key asks for a reload', async () => {
    const { project, page } = await openWithAnimals();
    const [key] = await storefrontKeys(project);
    await change().revokeApiKey(key?.id ?? '');
    await link(page, 'Reserved').click();
    await title(page, 'This page is out of date').waitFor();
    await change().createDeploy({ projectId: project.id, template: 'storefront' });
    await button(page, 'Reload').click();
    await page.getByText('Ginger').waitFor();
    expect(await names(page)).toEqual(['Ginger']);
  });

  test('shows placeholder cards while it loads, without motion if the visitor wants none', async () => {
    const project = await deployStorefront();
    const held = new EventEmitter();
    const { page } = await open(project, {
      reducedMotion: 'reduce',
      prepare: (page) => page.route('**/graphql', (route) => once(held, 'over').then(() => route.continue())),
    });
    await page.locator('.waiting').first().waitFor();
    expect(await countText(page)).toBe('Loading…');
    expect(await page.getByRole('list').getAttribute('aria-busy')).toBe('true');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.waiting')).animationName`)).toBe(
      'none',
    );
    await shoot(page, 'loading');
    held.emit('over');
    await page1(page);
    expect(await page.locator('.waiting').count()).toBe(0);
    expect(await page.getByRole('list').getAttribute('aria-busy')).toBe('false');
  });

  test('on a phone and a desk, light and dark, nothing is cut off and axe finds nothing serious', async () => {
    const project = await deployStorefront('Tierheim am Waldrand');
    const { page } = await open(project, { path: '/?status=all' });
    await page1(page);
    await showMore(page).click();
    await page.getByText('Zorro').waitFor();
    for (const width of [390, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await shoot(page, `store-${width}-${colorScheme}`);
        expect([width, colorScheme, await seriousFaults(page)]).toEqual([width, colorScheme, []]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
  });

  test('without JavaScript, says what is missing, and shows no broken controls', async () => {
    const { page } = await open(await deployStorefront(), { javaScriptEnabled: false });
    expect(await page.locator('noscript').innerText()).toContain('needs JavaScript');
    expect(await link(page, 'Available').isVisible()).toBe(false);
  });

  test('a missing page links back', async () => {
    const { page } = await open(await deployStorefront(), { path: '/nothing/here' });
    expect(await seriousFaults(page)).toEqual([]);
    await shoot(page, 'not-found');
    await link(page, 'See the animals').click();
    await page1(page);
  });
});

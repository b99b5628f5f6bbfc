import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

export interface OpenedDashboard {
  page: Page;
  /** What the page asked of other origins: nothing, if it is well. */
  elsewhere: string[];
  /** What the browser had to say about it: nothing, if it is well. */
  complaints: string[];
}

export interface Opening extends BrowserContextOptions {
  /** The secret of an owner or admin key. Undefined: the page asks for one. */
  apiKey?: string;
  /** `/dashboard/…` */
  path?: string;
}

/** Signs in where a key is given, and opens a page of the dashboard in a context of its own. */
export async function openDashboard(
  browser: Browser,
  { url }: { url: string },
  { apiKey, path = '/dashboard', ...options }: Opening,
): Promise<OpenedDashboard> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    // What fades from one colour to another has a contrast of its own meanwhile.
    reducedMotion: 'reduce',
    ...options,
  });
  // Firefox asks nobody before a page writes to the clipboard, and has no permission to read it.
  if (browser.browserType().name() === 'chromium')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  if (apiKey) {
    const signedIn = await context.request.post(`${url}/dashboard/session`, {
      data: { apiKey },
      headers: { origin: url },
    });
    expect([signedIn.status(), await signedIn.text()]).toEqual([201, expect.any(String)]);
  }
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    // That an answer was a refusal the browser says too; what becomes of it is seen on the page.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded with');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url + path);
  return { page, elsewhere, complaints };
}

/** As a person does it. */
export async function signIn(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Presses a copy button: what is in the clipboard then. */
export async function copy(page: Page, what: string): Promise<string> {
  await page.getByRole('button', { name: `Copy ${what}` }).click();
  await page.locator('.toast', { hasText: `Copied: ${what}` }).waitFor();
  return page.evaluate('navigator.clipboard.readText()');
}

/** Drops files of this machine, as a person does from the file manager: scripts cannot make such an event. */
export async function drop(page: Page, onto: Locator, paths: string[]): Promise<void> {
  const box = await onto.boundingBox();
  if (box === null) throw new Error('nothing to drop onto');
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
}

/** The rules of axe whose outcome the colours decide. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe finds on the current page that is serious or critical: rule and element. By default, by all rules. */
export async function seriousFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

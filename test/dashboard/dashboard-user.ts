import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestGateway } from '../support/gateway.js';

/** Somebody at the dashboard, and what the page did that it must not. */
export interface DashboardUser {
  page: Page;
  /** Asked of other origins than the gateway's. */
  elsewhere: string[];
  /** Errors, and violations of the Content-Security-Policy, which browsers report as such. */
  complaints: string[];
  signIn: (key: string) => Promise<void>;
  /** What the last press on a copy button put in the clipboard. */
  copied: () => Promise<string>;
}

export async function openDashboard(
  browser: Browser,
  { url }: Pick<TestGateway, 'url'>,
  path = '/dashboard',
  options: BrowserContextOptions = {},
): Promise<DashboardUser> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    // Of an answer such as "nobody is signed in" the browser tells too; what that does to the page, tests look at.
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded');
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url + path);
  return {
    page,
    elsewhere,
    complaints,
    async signIn(key) {
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    },
    copied: () => page.evaluate('navigator.clipboard.readText()'),
  };
}

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface OpenedPage {
  page: Page;
  /** Requests to other origins. Empty if the page is as it should be. */
  elsewhere: string[];
  /** Errors and warnings of the browser's console. Empty if the page is as it should be. */
  complaints: string[];
}

const look = (width: number, colorScheme: 'light' | 'dark') => ({
  viewport: { width, height: 900 },
  colorScheme,
});

/** A phone and a desk, by day and by night. */
export const LOOKS = [look(390, 'light'), look(390, 'dark'), look(1280, 'light'), look(1280, 'dark')];

/** Opens a page in a context of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== 'data:') elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, elsewhere, complaints };
}

/** Whether the page is wider than the window, or its bar scrolls to the side, which nobody would notice. */
export async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    "[...document.querySelectorAll('html, .bar')].some((part) => part.scrollWidth > part.clientWidth)",
  );
}

/** For looking at the pages: SCREENSHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  const viewport = page.viewportSize()?.width ?? 0;
  const scheme = await page.evaluate<string>(
    "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'",
  );
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${viewport}-${scheme}.png` });
}

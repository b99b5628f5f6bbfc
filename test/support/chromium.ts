import { chromium, type Browser } from 'playwright-core';

/** No measurement: it only ends a wait for what never comes, and says for what. */
const PATIENCE_MS = 120_000;

/** Chromium as test/support/parts.mjs finds it. It asks nobody for anything by itself. */
export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_BINARY'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/** A Chromium for all tests of a file or a block. The contexts of a test close after it. */
export function useChromium(args?: readonly string[]): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(args);
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  afterAll(() => browser.close());
  return () => browser;
}

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

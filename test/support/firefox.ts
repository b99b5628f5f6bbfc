import { firefox, type Browser } from 'playwright-core';

/** No measurement: it only ends a wait for what never comes, and says for what. */
const PATIENCE_MS = 120_000;

/**
 * The system's own Firefox, as test/support/parts.mjs finds it, over WebDriver BiDi. Contexts cannot emulate reduced
 * motion there, so the browser itself prefers it.
 */
export async function launchFirefox(): Promise<Browser> {
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: process.env['FIREFOX_BINARY'] ?? '/usr/bin/firefox-esr',
    firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 },
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

import { createStore, publish, startPlatform } from '../interfaces/sites/visitor.js';
import { useChromium } from '../support/chromium.js';
import { seriousFaults } from '../support/dashboard.js';
import { useStarted } from '../support/gateway.js';

/** The pages that visitors see where there is no site, on a phone and on a desk, by day and by night. */
const browser = useChromium(['--host-resolver-rules=MAP * 127.0.0.1']);
const gateway = useStarted(startPlatform);
let empty: string;
let shop: string;

beforeAll(async () => {
  empty = (await createStore(gateway)).host;
  const store = await createStore(gateway);
  await publish(gateway, store.project.id, {
    'index.html': '<!doctype html><title>Paws</title><h1>Paws</h1>',
  });
  shop = store.host;
});

const PICTURES = process.env['PICTURES'];
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

test.each([
  ['unknown', () => 'nobody.example', '/', 'There is no site at this address'],
  ['unpublished', () => empty, '/', 'Nothing is published here yet'],
  ['missing', () => shop, '/none', 'Page not found'],
])('%s: axe finds nothing serious, nothing is cut off or blocked', async (name, hostOf, path, heading) => {
  const page = await browser().newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  const url = new URL(path, gateway.url);
  url.hostname = hostOf();
  await page.goto(url.href);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  for (const size of SIZES)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      if (PICTURES !== undefined)
        await page.screenshot({ path: `${PICTURES}/${name}-${size.width}-${colorScheme}.png` });
      expect([size.width, colorScheme, await seriousFaults(page)]).toEqual([size.width, colorScheme, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      // The style sheet and the picture are part of the page, and the policy admits both.
      expect(await page.evaluate('document.styleSheets[0].cssRules.length')).toBeGreaterThan(0);
    }
  if (name === 'missing') {
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await page.getByRole('heading', { name: 'Paws' }).waitFor();
  }
  expect(complaints).toEqual([]);
  await page.close();
});

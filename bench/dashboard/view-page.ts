import type { launchChromium } from '../../test/support/chromium.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Lighthouse's slow 4G and its phone: 150 ms a round trip, 1.6 Mbit/s down, 750 kbit/s up, a processor 4 times slower. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const CPU_SLOWDOWN = 4;
const VIEWPORT = { width: 412, height: 823 };

export interface View {
  /** From the start of the navigation. */
  firstPaintMs: number;
  /** Until the page has loaded all of its data. */
  largestPaintMs: number;
  /** As sent, with headers. */
  bytes: number;
  requests: number;
}

/** A page of a new browser profile, slowed down, with an empty cache. @param apiKey it signs in with; undefined: signed out */
export async function openOnPhone(browser: Browser, origin: string, apiKey?: string): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, isMobile: true, hasTouch: true });
  if (apiKey) {
    const headers = { origin };
    const response = await context.request.post(`${origin}/dashboard/session`, { data: { apiKey }, headers });
    if (response.status() !== 201) throw new Error(`The sign-in failed: ${await response.text()}`);
  }
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  return page;
}

/** Opens the page in this tab. Files that its cache has from an earlier view are not sent again. */
export async function viewPage(page: Page, { url, shows }: { url: string; shows: string }): Promise<View> {
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  const sent = { bytes: 0, requests: 0 };
  const cached = new Set<string>();
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (cached.has(requestId) || encodedDataLength === 0) return;
    sent.bytes += encodedDataLength;
    sent.requests += 1;
  });
  await page.goto(url);
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  await page.waitForLoadState('networkidle');
  const paints = await page.evaluate<Pick<View, 'firstPaintMs' | 'largestPaintMs'>>('paints');
  await session.detach();
  return { ...paints, ...sent };
}

const OBSERVE = `
  globalThis.paints = { firstPaintMs: NaN, largestPaintMs: NaN };
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === 'first-contentful-paint') paints.firstPaintMs = startTime;
  }).observe({ type: 'paint', buffered: true });
  new PerformanceObserver((list) => {
    paints.largestPaintMs = list.getEntries().at(-1).startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
`;

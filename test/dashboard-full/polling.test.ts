import type { Page } from 'playwright-core';
import { useChromium } from '../support/chromium.js';
import { openDashboard } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';

/** The overview asks every 10 s. The clock is the page's own, which only the test moves. */
const browser = useChromium();
const gateway = useGateway();

async function openOverview() {
  const project = await gateway.services.projects.create({ name: 'Happy Tails' });
  const { secret } = await gateway.services.apiKeys.create({
    name: 'Owner key',
    role: 'owner',
    projectId: project.id,
  });
  const { page } = await openDashboard(browser(), gateway, { apiKey: secret, path: '/docs' });
  await page.clock.install();
  await page.goto(`${gateway.url}/dashboard/projects/${project.id}`);
  await page.getByText('Quota today').waitFor();
  return { page, passes: (seconds: number) => page.clock.runFor(seconds * 1000) };
}

const asks = (page: Page) => page.waitForRequest('**/graphql');

/** That nothing is asked meanwhile. */
async function staysQuiet(page: Page, meanwhile: () => Promise<void>): Promise<void> {
  let asked = 0;
  const count = (request: { url: () => string }) => {
    if (request.url().endsWith('/graphql')) asked += 1;
  };
  page.on('request', count);
  await meanwhile();
  page.off('request', count);
  expect(asked).toBe(0);
}

const show = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );

test('a hidden page sends no requests, and refreshes at once when it is shown', async () => {
  const { page, passes } = await openOverview();
  await Promise.all([page.waitForResponse('**/graphql'), passes(11)]);
  await show(page, 'hidden');
  await staysQuiet(page, () => passes(600));
  await Promise.all([asks(page), show(page, 'visible')]);
});

test('after a failure it polls less often, and never before Retry-After', async () => {
  const { page, passes } = await openOverview();
  await page.route('**/graphql', (route) =>
    route.fulfill({
      status: 503,
      headers: { 'retry-after': '300' },
      json: {
        errors: [
          {
            message: 'The store cannot answer now.',
            extensions: { code: 'service_unavailable', status: 503 },
          },
        ],
      },
    }),
  );
  await Promise.all([asks(page), passes(11)]);
  await page.getByText('The store cannot answer now. Try again in 300 seconds.').waitFor();
  // What was known stays in sight.
  await page.getByText('Quota today').waitFor();
  await staysQuiet(page, () => passes(260));
  await Promise.all([asks(page), passes(50)]);
});

import type { Locator, Page } from 'playwright-core';
import { useChromium } from '../support/chromium.js';
import { openDashboard, seriousFaults, type OpenedDashboard } from '../support/dashboard.js';
import { startGateway, useStarted } from '../support/gateway.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';

/** While the quota store is down, this process knows only its own counts: no page shows them as those of a key. */
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
const browser = useChromium();
const env = () => ({ REDIS_URL: redis.url, QUOTA_NODES: '2' });
const other = useStarted(() => startGateway({ env: env() }));
const gateway = useStarted(() => startGateway({ env: env(), beside: other }));
afterAll(() => redis.close());

const NOTE = 'The quota store is down, so used requests are unknown.';
const UNKNOWN = ['– of 10', '– of 20'];
const numbersIn = async (place: Locator | Page) =>
  (await place.locator('.meter-numbers').allInnerTexts()).map((text) => text.trim());

let opened: OpenedDashboard | undefined;
afterEach(async () => {
  await opened?.page.context().close();
  expect([opened?.elsewhere, opened?.complaints]).toEqual([[], []]);
});

test('in an outage, each page with the use of keys says that it is unknown, and shows dashes', async () => {
  const { apiKey, secret } = await other.keyOn(
    'enterprise',
    { requestsPerMinute: 10, requestsPerDay: 20 },
    { name: 'Web shop', role: 'owner' },
  );
  const { projectId = '' } = apiKey;
  const { secret: admin } = await other.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  // Near the limit of its minute.
  for (let i = 0; i < 8; i++) await (await other.request('/v1/pets', { key: secret })).text();
  await other.services.recorder.flush();
  await redis.kill();
  // This process counts one request itself: that is not what the key used.
  expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);

  opened = await openDashboard(browser(), gateway, {
    apiKey: admin,
    path: `/dashboard/projects/${projectId}/keys/${apiKey.id}`,
  });
  const { page } = opened;
  const card = (name: string) => page.getByRole('region', { name });
  const quota = card('Quota');
  await quota.getByText(NOTE).waitFor();
  expect(await numbersIn(quota)).toEqual(UNKNOWN);
  expect(await quota.getByText('Resets').count()).toBe(0);
  expect(await quota.getByRole('meter').count()).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousFaults(page)).toEqual([]);
  }

  for (const [path, place] of [
    [`projects/${projectId}/keys`, 'main'],
    [`projects/${projectId}`, 'Quota today'],
    ['admin/keys?nameContains=Web', 'main'],
  ] as const) {
    await page.goto(`${gateway.url}/dashboard/${path}`);
    const there = place === 'main' ? page.getByRole('main') : card(place);
    await there.getByText(NOTE).waitFor();
    expect([path, await numbersIn(there)]).toEqual([path, UNKNOWN]);
  }

  await page.goto(`${gateway.url}/dashboard/admin`);
  await page.getByText('The quota store is down').waitFor();
  // MongoDB has which keys are busy, and which came near a limit.
  for (const name of ['Busiest keys today', 'Keys near their limits']) {
    await card(name).getByRole('link', { name: 'Web shop' }).waitFor();
    expect([name, await numbersIn(card(name))]).toEqual([name, ['– of 20']]);
  }

  await redis.restart();
  await page.goto(`${gateway.url}/dashboard/projects/${projectId}/keys/${apiKey.id}`);
  await quota.getByText('9 of 20').waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);
});

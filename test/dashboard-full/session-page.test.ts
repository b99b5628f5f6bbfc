import type { Page } from 'playwright-core';
import { useChromium } from '../support/chromium.js';
import { runCommand } from '../support/command-line.js';
import { copy, openDashboard, signIn } from '../support/dashboard.js';
import { startGateway, useGateway } from '../support/gateway.js';

let skippedMs = 0;
const browser = useChromium();
const gateway = useGateway({ clock: () => Date.now() + skippedMs });

async function ownerKey(): Promise<{ secret: string; projectId: string }> {
  const project = await gateway.services.projects.create({ name: 'Happy Tails', plan: 'pro' });
  const { secret } = await gateway.services.apiKeys.create({
    name: 'Owner key',
    role: 'owner',
    projectId: project.id,
  });
  return { secret, projectId: project.id };
}

async function attempt(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('owners land on their project, admins on the gateway', async () => {
  const owner = await ownerKey();
  const admin = await gateway.services.apiKeys.create({ name: 'Store admin', role: 'admin' });
  const first = await openDashboard(browser(), gateway, {});
  await signIn(first.page, owner.secret);
  await first.page.getByRole('heading', { name: 'Happy Tails', level: 1 }).waitFor();
  expect(new URL(first.page.url()).pathname).toBe(`/dashboard/projects/${owner.projectId}`);
  const second = await openDashboard(browser(), gateway, {});
  await signIn(second.page, admin.secret);
  await second.page.getByRole('heading', { name: 'Gateway', level: 1 }).waitFor();
  // An owner who signs in after an admin does not see a page for admins.
  await second.page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(second.page, owner.secret);
  await second.page.getByRole('heading', { name: 'Happy Tails', level: 1 }).waitFor();
});

test('the command on the sign-in page creates a key that can sign in', async () => {
  const own = await startGateway();
  try {
    await own.services.projects.create({ name: 'Happy Paws' });
    const { page } = await openDashboard(browser(), own, {});
    const command = await copy(page, 'On the gateway’s machine: a new owner key');
    const [npx, program, ...args] = command.split(' ');
    expect([npx, program]).toEqual(['npx', 'pets-gateway']);
    const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
    uri.pathname = `/${own.databaseName}`;
    const { code, stdout } = await runCommand({ uri: uri.href }, args);
    const [secret] = /pets_live_\w{20,}/.exec(stdout) ?? [];
    expect([code, secret]).toEqual([0, expect.any(String)]);
    await signIn(page, secret ?? '');
    await page.getByRole('heading', { name: 'Happy Paws', level: 1 }).waitFor();
    await page.getByRole('banner').getByText('dashboard (owner)').waitFor();
    await page.locator('h1:focus').waitFor();

    await own.services.projects.create({ name: 'Second shop' });
    const again = await runCommand({ uri: uri.href }, args);
    expect([again.code, again.stderr]).toEqual([
      2,
      'error: --project: choose one of the projects: happy-paws (Happy Paws), second-shop (Second shop)\n',
    ]);
    const chosen = await runCommand({ uri: uri.href }, [...args, '--project', 'Second shop']);
    expect(chosen.code).toBe(0);
    await page.context().close();
  } finally {
    await own.close();
  }
});

test('a key that may not sign in is refused in words, and the field is empty and ready', async () => {
  const { page } = await openDashboard(browser(), gateway, {});
  const server = await gateway.keyOn('free');
  for (const key of ['pets_live_nobody', server.secret]) {
    await attempt(page, key);
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
  }
});

test('the page does not contain the key after sign-in', async () => {
  const { secret } = await ownerKey();
  const { page } = await openDashboard(browser(), gateway, {});
  await page.getByRole('button', { name: 'Show key' }).click();
  expect(await page.getByLabel('API key').getAttribute('type')).toBe('text');
  await signIn(page, secret);
  const kept = await page.evaluate(
    '[document.documentElement.outerHTML, document.cookie, location.href, ...Object.values(localStorage), ...Object.values(sessionStorage)].join()',
  );
  expect(kept).not.toContain(secret);
  const cookies = await page.context().cookies();
  expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict' })]);
  expect(JSON.stringify(cookies)).not.toContain(secret);
});

test('after a session ended, asks for the key again, says why, and returns to the same page', async () => {
  const { secret, projectId } = await ownerKey();
  const { page } = await openDashboard(browser(), gateway, {
    path: `/dashboard/projects/${projectId}/deploys`,
    apiKey: secret,
  });
  await page.getByText('Publishing is turned off on this gateway').waitFor();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await page.getByText('Your session has ended. Sign in again to return to this page.').waitFor();
  await signIn(page, secret);
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/projects/${projectId}/domains`);
});

describe('signing in again in another tab', () => {
  /** Two tabs of one browser, of which the other one has signed in again. */
  async function twoTabs(by: 'another key' | 'the same key') {
    const owner = await ownerKey();
    const { page: tab, complaints } = await openDashboard(browser(), gateway, {
      path: `/dashboard/projects/${owner.projectId}/keys`,
      apiKey: owner.secret,
    });
    await tab.getByText('Owner key (owner)').waitFor();
    const other = await tab.context().newPage();
    await other.goto(`${gateway.url}/dashboard/plans`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    const { secret } =
      by === 'the same key'
        ? owner
        : await gateway.services.apiKeys.create({ name: 'Store admin', role: 'admin' });
    await signIn(other, secret);
    const sent: string[] = [];
    tab.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (['/graphql', '/dashboard/session'].includes(pathname))
        sent.push(`${response.status()} ${pathname}`);
    });
    return { tab, other, sent, complaints };
  }

  test('reads continue in the new session and show its identity', async () => {
    const { tab, sent, complaints } = await twoTabs('another key');
    await tab.getByRole('link', { name: 'Domains', exact: true }).click();
    await tab.getByText('Store admin (admin)').waitFor();
    await tab.getByText('You signed in with the key Store admin in another tab').waitFor();
    await tab.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
    await tab.getByRole('link', { name: 'Deploys', exact: true }).click();
    await tab.getByText('Publishing is turned off on this gateway').waitFor();
    expect(sent.filter((line) => line === '200 /dashboard/session')).toHaveLength(1);
    expect(
      sent.slice(sent.indexOf('200 /dashboard/session')).filter((line) => !line.startsWith('200')),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a change is not made, and can be retried at once', async () => {
    const { tab } = await twoTabs('the same key');
    await tab.getByRole('button', { name: 'Create key' }).first().click();
    await tab.getByRole('textbox', { name: 'Name' }).fill('Web shop');
    const submit = tab.getByRole('dialog').getByRole('button', { name: 'Create key' });
    await submit.click();
    await tab.getByText('You signed in again in another tab, so this change was not saved.').waitFor();
    await submit.click();
    await tab.getByText('Web shop').first().waitFor();
    await tab.getByText('You signed in again in another tab').waitFor({ state: 'detached' });
  });

  test('Sign out says so, and then ends the new session', async () => {
    const { tab } = await twoTabs('the same key');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByText('You are still signed in. You signed in again in another tab').waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByText('You are signed out.').waitFor();
  });

  test('asks for the key if the new session has ended too', async () => {
    const { tab, other } = await twoTabs('the same key');
    await tab.route('**/dashboard/session', async (route) => {
      await other.getByRole('button', { name: 'Sign out' }).click();
      await other.getByText('You are signed out.').waitFor();
      await route.continue();
    });
    await tab.getByRole('link', { name: 'Domains', exact: true }).click();
    await tab.getByText('Your session has ended. Sign in again to return to this page.').waitFor();
  });
});

test('tells clients that guess keys when to retry', async () => {
  skippedMs += 120_000;
  const { page } = await openDashboard(browser(), gateway, {});
  const said = page.getByText(/Retry in \d+ s\./);
  for (let i = 0; i < 100 && (await said.count()) === 0; i++) {
    await attempt(page, `pets_live_guess${i}`);
    await page.getByRole('alert').waitFor();
  }
  await said.waitFor();
  skippedMs += 120_000;
});

test('reports a gateway that does not respond, and Try again retries', async () => {
  const { secret } = await ownerKey();
  const { page } = await openDashboard(browser(), gateway, {});
  await page.route('**/dashboard/session', (route) => route.abort());
  await page.reload();
  await page.getByText('The gateway did not respond.').waitFor();
  await page.unroute('**/dashboard/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await signIn(page, secret);
});

/** What caused each request for the session since the page was loaded, oldest first. */
const sessionInitiators = (page: Page) =>
  page.evaluate<string[]>(
    `performance.getEntriesByName(new URL('/dashboard/session', location.href).href)
      .map(({ initiatorType }) => initiatorType)`,
  );

test('asks for the session once, while the scripts are on their way', async () => {
  const { secret } = await ownerKey();
  const { page, complaints } = await openDashboard(browser(), gateway, { apiKey: secret });
  await page.getByText('Owner key (owner)').waitFor();
  expect(await sessionInitiators(page)).toEqual(['link']);
  expect(complaints).toEqual([]);
});

test('keeps the chosen colours after a reload, without a flash', async () => {
  const { page } = await openDashboard(browser(), gateway, { colorScheme: 'light' });
  const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const light = await ground();
  await page.getByRole('button', { name: 'Use the dark theme' }).click();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
  expect(await ground()).toBe(dark);
});

import { MOST_LISTED } from '../../src/features/keys/sessions/session.js';
import { useChromium } from '../support/chromium.js';
import { runJson } from '../support/command-line.js';
import { copy, openDashboard, signIn } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';

/** The link that signs in, and the page of the sessions. */
const browser = useChromium();
const gateway = useGateway();

const ownerKey = () => gateway.keyOn('pro', undefined, { name: 'Owner key', role: 'owner' });
async function linkFor(key: string): Promise<URL> {
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${gateway.databaseName}`;
  const env = { PORT: new URL(gateway.url).port };
  return new URL((await runJson<{ url: string }>({ uri: uri.href }, ['open', '--key', key], env)).url);
}

describe('a link of the command line', () => {
  test('signs in, and leaves its token in no address, no history and no Referer', async () => {
    const { apiKey } = await ownerKey();
    const link = await linkFor(apiKey.id);
    const { page, elsewhere, complaints } = await openDashboard(browser(), gateway, { path: '/docs' });
    const seen: string[] = [];
    page.on('request', (request) => {
      seen.push(request.url(), JSON.stringify(request.headers()));
    });
    await page.goto(link.href);
    await page.getByText('Owner key (owner)').waitFor();
    await page.getByRole('heading', { name: 'pro project', level: 1 }).waitFor();
    const token = link.hash.slice('#sign-in='.length);
    expect(page.url()).not.toContain(token);
    expect(seen.join()).not.toContain(token);
    await page.goBack();
    await page.goForward();
    await page.getByText('Owner key (owner)').waitFor();
    expect(seen.join()).not.toContain(token);
    expect([elsewhere, complaints]).toEqual([[], []]);
  });

  test('later asks for the session again, when another tab has another one', async () => {
    const { apiKey } = await ownerKey();
    const { page } = await openDashboard(browser(), gateway, { path: '/docs' });
    await page.goto((await linkFor(apiKey.id)).href);
    await page.getByText('Owner key (owner)').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/dashboard/plans`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    const { secret } = await gateway.services.apiKeys.create({ name: 'Store admin', role: 'admin' });
    await signIn(other, secret);
    await other.getByText('Store admin (admin)').waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByText('You signed in with the key Store admin in another tab').waitFor();
  });

  test('that was used says so, and what to do', async () => {
    const { apiKey } = await ownerKey();
    const link = await linkFor(apiKey.id);
    const first = await openDashboard(browser(), gateway, {});
    await first.page.goto(link.href);
    await first.page.getByText('Owner key (owner)').waitFor();
    await first.page.reload();
    await first.page.getByText('Owner key (owner)').waitFor();
    const second = await openDashboard(browser(), gateway, { path: '/docs' });
    await second.page.goto(link.href);
    await second.page.getByText('This sign-in link was used already, or it has expired.').waitFor();
    expect(await second.page.locator('.notice code').innerText()).toBe('npx pets-gateway open');
    expect(await second.page.getByText('`').count()).toBe(0);
    await second.page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    // A browser that is signed in stays signed in.
    await first.page.goto(`${gateway.url}/docs`);
    await first.page.goto(link.href);
    await first.page.getByText('Owner key (owner)').waitFor();
  });

  test('works in a tab that shows the sign-in page already', async () => {
    const { apiKey } = await ownerKey();
    const link = await linkFor(apiKey.id);
    const { page } = await openDashboard(browser(), gateway, {});
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    expect(await copy(page, 'On the gateway’s machine: a link that signs in')).toBe('npx pets-gateway open');
    await page.goto(link.href);
    await page.getByText('Owner key (owner)').waitFor();
    expect(page.url()).not.toContain('#');
  });
});

describe('the page of the sessions', () => {
  async function opened(sessions: number) {
    const { secret } = await ownerKey();
    for (let i = 1; i < sessions; i++)
      await openDashboard(browser(), gateway, { apiKey: secret, path: '/dashboard/plans' });
    const { page } = await openDashboard(browser(), gateway, {
      apiKey: secret,
      path: '/dashboard/account',
    });
    await page.getByText('This session').waitFor();
    return page;
  }

  test('lists the browsers, ends one, then all others, and keeps its own', async () => {
    const page = await opened(4);
    const rows = page.getByRole('table').getByRole('row');
    // With the header.
    expect(await rows.count()).toBe(5);
    await page
      .getByRole('button', { name: /^End the session of / })
      .first()
      .click();
    await page
      .getByRole('status')
      .getByText(/^Ended the session of /)
      .waitFor();
    expect(await rows.count()).toBe(4);
    await page.locator('h2:focus', { hasText: 'Sessions' }).waitFor();
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('status').getByText('Ended 2 sessions.').waitFor();
    expect(await rows.count()).toBe(2);
    await page.locator('h2:focus', { hasText: 'Sessions' }).waitFor();
    expect(await page.getByRole('button', { name: 'End all other sessions' }).count()).toBe(0);
    await page.reload();
    await page.getByText('This session').waitFor();
    const [other] = browser()
      .contexts()
      .flatMap((context) => context.pages());
    await other?.reload();
    await other?.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  });
  test('shows more than a page, and ends a session of the second page', async () => {
    const { secret } = await ownerKey();
    const caller = await gateway.services.sessions.identify(secret);
    for (let i = 0; i < MOST_LISTED + 1; i++)
      await gateway.services.sessions.open(caller, { browser: `Browser ${i}` });
    const { page } = await openDashboard(browser(), gateway, { apiKey: secret, path: '/dashboard/account' });
    await page.getByText('This session').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByRole('button', { name: 'End the session of Browser 0' }).click();
    await page.getByRole('status').getByText('Ended the session of Browser 0.').waitFor();
    // With the header.
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByText(`Ended ${MOST_LISTED} sessions.`).waitFor();
    await page.getByText('This session').waitFor();
    expect(await page.getByText('Page 2').count()).toBe(0);
  });
});

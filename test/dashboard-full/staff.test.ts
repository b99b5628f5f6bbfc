import { useChromium } from '../support/chromium.js';
import { copy, openDashboard, seriousFaults, signIn } from '../support/dashboard.js';
import { useGateway } from '../support/gateway.js';
import { askGraphQL, dataOf } from '../interfaces/graphql/client.js';

/** An owner invites a person on the page Staff; the person accepts, works, and loses the access. */
const browser = useChromium();
const gateway = useGateway();

const newOwner = () => gateway.keyOn('pro', undefined, { name: 'Owner key', role: 'owner' });
const invite = async (projectId: string | undefined, name: string) => {
  const { apiKey, invitation } = await gateway.services
    .administration({ role: 'command line' })
    .invite({ name, projectId: projectId ?? '' });
  return { id: apiKey.id, link: `${gateway.url}/dashboard#invitation=${invitation.text}` };
};

test('from the invitation to the end of the access', async () => {
  const { secret, apiKey } = await newOwner();
  const path = `/dashboard/projects/${apiKey.projectId ?? ''}/staff`;
  const owner = await openDashboard(browser(), gateway, { apiKey: secret, path });
  await owner.page.getByRole('button', { name: 'Invite the first person' }).click();
  await owner.page.getByLabel('Name').fill('Maria Ruiz');
  await owner.page.getByRole('button', { name: 'Create link' }).click();
  await owner.page.getByText('This link is shown only once').waitFor();
  const link = await owner.page.getByLabel('Link', { exact: true }).innerText();
  expect(link).toMatch(/#invitation=key_\w{16}\.[\w-]{43}$/);
  expect(await seriousFaults(owner.page)).toEqual([]);
  await owner.page.getByRole('button', { name: 'I’ve copied the link' }).click();
  await owner.page.getByRole('link', { name: 'Maria Ruiz' }).waitFor();
  await owner.page.getByText('Invited', { exact: true }).waitFor();

  const token = link.slice(link.indexOf('#') + 1);
  const { page, elsewhere, complaints } = await openDashboard(browser(), gateway, { path: '/docs' });
  const seen: string[] = [];
  page.on('request', (request) => void seen.push(request.url(), JSON.stringify(request.headers())));
  await page.goto(link);
  await page.getByRole('heading', { name: 'Welcome, Maria Ruiz' }).waitFor();
  await page.getByText('pro project').waitFor();
  expect(page.url()).toBe(`${gateway.url}/dashboard`);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByText('This key is shown only once').waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  const personalKey = await copy(page, 'key');
  expect(personalKey).toMatch(/^pets_live_\w{38}$/);
  await page.getByRole('button', { name: 'I’ve saved my key' }).click();
  await page.getByText('Maria Ruiz (staff)').waitFor();
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
  const menu = page.getByRole('navigation', { name: 'Dashboard' });
  expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Animals', 'Catalogue', 'Your sessions']);
  expect(seen.join()).not.toContain(token);

  await page.getByRole('button', { name: 'Add animal' }).first().click();
  await page.getByLabel('Name').fill('Pixel');
  await page.getByLabel('Category').fill('1');
  await page.getByRole('dialog').getByRole('button', { name: 'Add animal', exact: true }).click();
  await page.getByRole('cell', { name: 'Pixel' }).first().waitFor();
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: { action: string; actorName: string } }[] } }>(
      gateway,
      secret,
      '{ auditLog(first: 1) { edges { node { action actorName } } } }',
    ),
  );
  expect(auditLog.edges[0]?.node).toEqual({ action: 'pet.create', actorName: 'Maria Ruiz' });

  // Back in later, with the personal key.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, personalKey);
  await page.getByText('Maria Ruiz (staff)').waitFor();

  await owner.page.reload();
  await owner.page.getByText('Active', { exact: true }).waitFor();
  await owner.page.getByRole('button', { name: 'End access of Maria Ruiz' }).click();
  await owner.page.getByRole('dialog').getByRole('button', { name: 'End access' }).click();
  await owner.page.getByText('Ended', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Catalogue' }).click();
  await page.getByText('Your session has ended.').waitFor();
  expect([owner.elsewhere, owner.complaints, elsewhere, complaints]).toEqual([[], [], [], []]);
});

test('a signed-in browser says that its session ends; Not now keeps it, and the invitation stays open', async () => {
  const { secret, apiKey } = await newOwner();
  const { link } = await invite(apiKey.projectId, 'Omar');
  const { page } = await openDashboard(browser(), gateway, { apiKey: secret, path: '/docs' });
  for (const round of ['Not now', 'Accept invitation']) {
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('This browser is signed in as').waitFor();
    await page.getByRole('button', { name: round }).click();
    if (round === 'Not now') await page.getByText('Owner key (owner)').waitFor();
  }
  await page.getByText('Save your personal key').waitFor();
});

test('a used invitation says so; a new link for the person works', async () => {
  const { secret, apiKey } = await newOwner();
  const { link } = await invite(apiKey.projectId, 'Omar');
  const path = `/dashboard/projects/${apiKey.projectId ?? ''}/staff`;
  const owner = await openDashboard(browser(), gateway, { apiKey: secret, path });
  await owner.page.getByRole('button', { name: 'New link for Omar' }).click();
  await owner.page.getByRole('button', { name: 'Create link' }).click();
  const fresh = await owner.page.getByLabel('Link', { exact: true }).innerText();
  const { page } = await openDashboard(browser(), gateway, { path: '/docs' });
  await page.goto(link);
  await page.getByText('This invitation was used already').waitFor();
  await page.goto(fresh);
  await page.getByRole('heading', { name: 'Welcome, Omar' }).waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

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
/** Invites a person, who accepts. */
async function staffOf(projectId: string, name: string): Promise<{ secret: string }> {
  const invitation = (await invite(projectId, name)).link.split('=')[1];
  const accepted = await fetch(`${gateway.url}/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: gateway.url },
    body: JSON.stringify({ invitation }),
  });
  return { secret: ((await accepted.json()) as { apiKey: string }).apiKey };
}

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
  await owner.page.getByText(/until \d+ \w+ \d{4}, \d\d:\d\d \(in 7 days\)/).waitFor();

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

test('the audit log shows which animal a person changed, in the words of the Animals page, and finds staff', async () => {
  const { secret, apiKey } = await newOwner();
  const project = apiKey.projectId ?? '';
  const maria = await staffOf(project, 'Maria Ruiz');
  const change = async (fields: string) =>
    dataOf(askGraphQL<Record<string, { id: string }>>(gateway, maria.secret, `mutation { ${fields} }`));
  const { createPet } = await change(
    'createPet(input: { name: "Pixel", categoryId: 1, status: sold }) { id }',
  );
  const id = createPet?.id ?? '';
  await change(`updatePet(input: { id: "${id}", status: pending }) { pet { id } }`);
  const path = `/dashboard/projects/${project}/audit`;
  const { page } = await openDashboard(browser(), gateway, { apiKey: secret, path });
  const ofOthers = page.getByRole('row').filter({ hasText: 'Invited the person' });
  await ofOthers.waitFor();
  await page.getByLabel('Made by').selectOption({ label: 'A staff person' });
  await page.waitForURL('**/audit?actorRole=staff');
  await ofOthers.waitFor({ state: 'detached' });
  const changed = page.getByRole('row').filter({ hasText: 'Changed the animal' });
  await changed.getByText('Status Adopted → Reserved').waitFor();
  await changed.getByText(`ID ${id}`).waitFor();
  const added = page.getByRole('row').filter({ hasText: 'Added the animal' });
  expect(await added.getByRole('listitem').allInnerTexts()).toEqual([
    'Name Pixel',
    'Category 1',
    'Status Adopted',
  ]);
  expect(await seriousFaults(page)).toEqual([]);

  await changed.getByRole('link', { name: 'Pixel' }).click();
  await page.waitForURL(`**/animals?id=${id}`);
  await page.getByRole('cell', { name: 'Pixel' }).first().waitFor();

  // An animal that was removed is on no page.
  await change(`deletePet(input: { id: "${id}" }) { deletedPetId }`);
  await page.goto(gateway.url + path);
  const removed = page.getByRole('row').filter({ hasText: 'Removed the animal' });
  await removed.getByText(`ID ${id}`).waitFor();
  expect(await removed.getByRole('link', { name: 'Pixel' }).count()).toBe(0);
});

test('on a phone, the bar says who is signed in; a page that staff cannot use leads to the animals', async () => {
  const { apiKey } = await newOwner();
  const project = apiKey.projectId ?? '';
  const maria = await staffOf(project, 'Maria Ruiz');
  const { page } = await openDashboard(browser(), gateway, {
    apiKey: maria.secret,
    path: `/dashboard/projects/${project}/keys`,
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole('banner').getByText('Maria Ruiz (staff)').waitFor();
  await page.getByRole('alert').first().waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Go to the animals' }).click();
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
});

import { readFile } from 'node:fs/promises';
import type { Connection } from 'mongoose';
import type { Page, Request } from 'playwright-core';
import { API_KEYS_COLLECTION } from '../../src/features/keys/mongo-api-key-document.js';
import type { CreateApiKey } from '../../src/features/keys/api-keys-service.js';
import type { CustomQuota, PlanId } from '../../src/features/plans/plans.js';
import { useChromium } from '../support/chromium.js';
import { openDashboard, seriousFaults, type OpenedDashboard } from '../support/dashboard.js';
import { startGateway, useStarted } from '../support/gateway.js';
import { rawDatabase } from '../support/raw-database.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

/** The admin's part of the dashboard, in a browser. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SMALL: CustomQuota = { requestsPerMinute: 10, requestsPerDay: 10 };

let redis: RedisServer;
let raw: Connection;
let admin: string;
beforeAll(async () => {
  redis = await startRedisServer();
});
const browser = useChromium();
const gateway = useStarted(() =>
  startGateway({
    env: { REDIS_URL: redis.url, PLATFORM_HOST: 'pets.test', PUBLIC_URL: 'http://127.0.0.1:3000' },
  }),
);
beforeAll(async () => {
  raw = await rawDatabase(gateway);
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'The admin', role: 'admin' }));
});
afterAll(async () => {
  await raw.close();
  await redis.close();
});

let opened: OpenedDashboard[] = [];
afterEach(async () => {
  const finished = opened;
  opened = [];
  for (const { page } of finished) await page.context().close();
  // Nothing of any page came from elsewhere, and no browser complained.
  for (const { elsewhere, complaints } of finished) expect([elsewhere, complaints]).toEqual([[], []]);
});

async function open(path: string, apiKey = admin): Promise<Page> {
  // Colours that fade are none that axe could measure.
  const one = await openDashboard(browser(), gateway, { apiKey, path, reducedMotion: 'reduce' });
  opened.push(one);
  await one.page.getByRole('heading', { level: 1 }).waitFor();
  return one.page;
}

const searchOf = (page: Page) => new URL(page.url()).search;
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function choose(page: Page, menu: string, item: string): Promise<void> {
  await press(page, `Actions for ${menu}`);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** What the first column leads with, beside checkboxes, once the list is the one that is asked for. */
async function namesIn(page: Page): Promise<string[]> {
  await page.getByRole('table').waitFor();
  await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' });
  return page.locator('tbody td:nth-child(1 of :has(> .named)) > .named > :first-child').allTextContents();
}

/** Whether nothing is serious for axe, by day and by night. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await seriousFaults(page)]).toEqual([colorScheme, []]);
  }
}

const project = (name: string, plan: PlanId = 'free', customQuota?: CustomQuota) =>
  gateway.services.administration({ role: 'command line' }).createProject({ name, plan, customQuota });
const key = (input: CreateApiKey) => gateway.services.apiKeys.create(input);
const askPets = async (secret: string) => (await gateway.request('/v1/pets', { key: secret })).status;

test.each(['projects', 'keys', 'audit', 'system'])(
  'the page %s says to an owner that it is for admins',
  async (name) => {
    const { secret } = await gateway.keyOn('free', undefined, { name: 'Mere owner', role: 'owner' });
    const page = await open(`/dashboard/admin/${name}`, secret);
    await page.getByRole('heading', { name: 'Only admins can open this page' }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await page.getByRole('navigation', { name: 'Dashboard' }).getByText('Admin').count()).toBe(0);
    await page.getByRole('link', { name: 'Go to your project' }).click();
    await page.waitForURL(/\/dashboard\/projects\/proj_/);
  },
);

describe('projects', () => {
  test('can be found by name and plan, page by page, and the address has the filters', async () => {
    for (let number = 1; number <= 21; number++)
      await project(`Kennel ${number}`, number > 19 ? 'pro' : 'free');
    const page = await open('/dashboard/admin/projects');
    await page.getByLabel('Name', { exact: true }).fill('kennel');
    await page.waitForURL('**/projects?nameContains=kennel');
    const first = await namesIn(page);
    await press(page, 'Next');
    await page.getByText('Page 2').waitFor();
    const second = await namesIn(page);
    expect([first.length, second]).toEqual([20, ['Kennel 21']]);

    await page.getByLabel('Plan', { exact: true }).selectOption('pro');
    expect(await namesIn(page)).toEqual(['Kennel 20', 'Kennel 21']);
    expect(searchOf(page)).toBe('?nameContains=kennel&plan=pro');
    await page.goBack();
    expect(await namesIn(page)).toEqual(first);
    await page.goForward();
    await page.reload();
    expect(await namesIn(page)).toEqual(['Kennel 20', 'Kennel 21']);
    await page.getByLabel('Name', { exact: true }).fill('no such kennel');
    await page.getByText('No projects match these filters').waitFor();
  });

  test('changes a plan, shows errors at their fields, and the audit log has the change', async () => {
    const { id } = await project('Growing store');
    const { secret } = await key({ name: 'Backend', projectId: id });
    const page = await open('/dashboard/admin/projects?nameContains=growing');
    await choose(page, 'Growing store', 'Change plan');
    const dialog = page.getByRole('dialog', { name: 'Change the plan of Growing store' });
    await dialog.locator('select:focus').waitFor();
    await dialog.getByLabel('Plan').selectOption('enterprise');
    await dialog.getByLabel('Requests per minute').fill('25');
    await dialog.getByLabel('Requests per day').fill('0');
    await press(page, 'Change plan');
    await dialog.getByText('Must be an integer from 1 to 2147483647.').waitFor();
    expect(await dialog.getByLabel('Requests per day').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await dialog.getByLabel('Requests per day').fill('5000');
    await press(page, 'Change plan');
    await dialog.waitFor({ state: 'detached' });
    await rowOf(page, 'Growing store').getByText('25 per minute, 5,000 per day').waitFor();
    const answer = await gateway.request('/v1/pets', { key: secret });
    expect(answer.headers.get('x-ratelimit-limit')).toBe('25');

    await choose(page, 'Growing store', 'Audit log');
    const change = rowOf(page, 'Changed the plan');
    await change.getByText('The admin').waitFor();
    expect(await change.getByRole('listitem').allTextContents()).toEqual([
      'Plan free → enterprise',
      'Requests per minute 25',
      'Requests per day 5000',
    ]);
    expect(await page.getByRole('row').count()).toBe(1 + 2);
  });

  test('a project is deleted by typing its name: its keys stop working, and the catalogue keeps its animals', async () => {
    const { id } = await project('Closing store');
    const [pet] = await gateway.services.petsStore.insertMany(
      [{ name: 'Luna', categoryId: 1n, status: 'available' }],
      id,
    );
    const { secret } = await key({ name: 'Backend', projectId: id });
    const page = await open('/dashboard/admin/projects?nameContains=closing');
    await choose(page, 'Closing store', 'Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete Closing store?' });
    await page.keyboard.type('Closing');
    await press(page, 'Delete project');
    await dialog.getByText('Is not the name of this project.').waitFor();
    await expectAccessible(page);
    expect(await askPets(secret)).toBe(200);
    await dialog.getByLabel('Animals of the project').selectOption('handOver');
    await dialog.getByLabel('Type “Closing store” to delete it').press('End');
    await page.keyboard.type(' store');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No projects match these filters').waitFor();
    expect(await askPets(secret)).toBe(401);
    await gateway.services.removals.removeDue();
    expect((await gateway.services.pets.get(pet?.id ?? 0n)).projectId).toBeUndefined();

    await page.goto(`${gateway.url}/dashboard/admin/audit?projectId=${id}`);
    const record = rowOf(page, 'Deleted the project');
    await record.getByText('The admin').waitFor();
    expect(await record.getByRole('listitem').allTextContents()).toContain('Name Closing store → none');
  });

  test('renames a project; its site keeps its address', async () => {
    const { id, slug } = await project('Old name');
    const page = await open('/dashboard/admin/projects?nameContains=Old+name');
    await choose(page, 'Old name', 'Rename');
    const dialog = page.getByRole('dialog', { name: 'Rename Old name' });
    await dialog.getByLabel('Name').fill('Newer name');
    await dialog.getByRole('button', { name: 'Rename project' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No projects match these filters').waitFor();
    expect(await gateway.services.projects.get(id)).toMatchObject({ name: 'Newer name', slug });
  });

  test('creates a project on a custom plan', async () => {
    const page = await open('/dashboard/admin/projects');
    await press(page, 'Create project');
    const dialog = page.getByRole('dialog', { name: 'Create project' });
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await dialog.getByText('Must have 1 to 100 characters').waitFor();
    await dialog.getByLabel('Name').fill('<b>Bold</b> & co');
    await dialog.getByLabel('Plan').selectOption('business');
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await page.waitForURL(/\/dashboard\/projects\/proj_\w+$/);
    const [, id = ''] = /(proj_\w+)$/.exec(page.url()) ?? [];
    expect(await gateway.services.projects.get(id)).toMatchObject({
      name: '<b>Bold</b> & co',
      plan: 'business',
    });
  });
});

describe('keys', () => {
  const NEVER = { requestsPerMinute: 100, requestsPerDay: 1000 };
  let banned: Awaited<ReturnType<typeof key>>;

  beforeAll(async () => {
    const shop = await project('Shop of keys', 'enterprise', SMALL);
    const other = await project('Other of keys', 'enterprise', NEVER);
    const free = await project('Free of keys');
    const origins = { role: 'browser', allowedOrigins: ['https://shop.example'] } as const;
    banned = await key({ name: 'k-banned', projectId: other.id });
    const busy = await key({ name: 'k-busy', projectId: shop.id });
    await key({ name: 'k-pages', projectId: free.id, ...origins });
    const expired = await key({ name: 'k-expired', projectId: free.id, role: 'owner' });
    const revoked = await key({ name: 'k-revoked', projectId: free.id });
    await key({ name: 'k-admin', role: 'admin' });

    const policy = { strikes: 10, strikeWindowSeconds: 300, banSeconds: 600, maxBanSeconds: 3600 };
    await gateway.services.apiKeysStore.ban(banned.apiKey.id, Date.now(), policy);
    for (let sent = 0; sent < 8; sent++) await askPets(busy.secret);
    await gateway.services.recorder.flush();
    await raw
      .collection<{ _id: string }>(API_KEYS_COLLECTION)
      .updateOne({ _id: expired.apiKey.id }, { $set: { expiresAt: new Date(Date.now() - HOUR_MS) } });
    await gateway.services.apiKeys.revoke(revoked.apiKey.id);
  });

  const ALL = ['k-banned', 'k-busy', 'k-pages', 'k-expired', 'k-revoked', 'k-admin'];
  const but = (...left: string[]) => ALL.filter((name) => !left.includes(name));

  test('each filter shows exactly its keys', async () => {
    const page = await open('/dashboard/admin/keys?nameContains=K-');
    expect(await namesIn(page)).toEqual(ALL);
    const filters: [label: string, option: string, name: string, left: string[]][] = [
      ['Plan', 'free', 'plan', ['k-pages', 'k-expired', 'k-revoked']],
      ['Role', 'browser', 'role', ['k-pages']],
      ['Role', 'owner', 'role', ['k-expired']],
      ['Role', 'admin', 'role', ['k-admin']],
      ['State', 'active', 'state', but('k-expired', 'k-revoked')],
      ['State', 'expired', 'state', ['k-expired']],
      ['State', 'revoked', 'state', ['k-revoked']],
      ['Ban', 'true', 'banned', ['k-banned']],
      ['Ban', 'false', 'banned', but('k-banned')],
      ['Limits', 'true', 'nearLimit', ['k-busy']],
      ['Today', 'true', 'usedToday', ['k-busy']],
      ['Today', 'false', 'usedToday', but('k-busy')],
    ];
    for (const [label, option, name, left] of filters) {
      await page.getByLabel(label, { exact: true }).selectOption(option);
      expect([searchOf(page), await namesIn(page)]).toEqual([`?nameContains=K-&${name}=${option}`, left]);
      await page.getByLabel(label, { exact: true }).selectOption('');
    }
    await press(page, 'Today (UTC)');
    await page.waitForURL('**orderBy=usageToday');
    expect((await namesIn(page))[0]).toBe('k-busy');
  });

  test('a row has its project, its windows as bars and its state; an admin key has no project', async () => {
    const page = await open('/dashboard/admin/keys?nameContains=k-');
    const busy = rowOf(page, 'k-busy');
    await busy.getByRole('meter', { name: 'Today (UTC)' }).waitFor();
    expect(await busy.getByRole('meter', { name: 'Today (UTC)' }).getAttribute('aria-valuetext')).toBe(
      '8 of 10 used',
    );
    expect(await busy.getByRole('link').allTextContents()).toEqual(['k-busy', 'Shop of keys']);
    await rowOf(page, 'k-admin').getByText('All projects').waitFor();
    expect(await rowOf(page, 'k-admin').getByRole('link').count()).toBe(0);
    await busy.getByRole('link', { name: 'k-busy' }).click();
    await page.getByRole('heading', { name: 'k-busy', level: 1 }).waitFor();
  });

  test('lifts a ban in the list, and the key works at once', async () => {
    const page = await open('/dashboard/admin/keys?banned=true&nameContains=k-');
    await rowOf(page, 'k-banned').getByText('Banned until').waitFor();
    expect(await askPets(banned.secret)).toBe(429);
    await expectAccessible(page);
    await press(page, 'Lift ban of k-banned');
    await page.getByText('Lifted the ban of k-banned.').waitFor();
    await page.getByText('No keys match these filters').waitFor();
    expect(await askPets(banned.secret)).toBe(200);
  });

  test('creates an admin key, shows its secret once, and revokes it in its row', async () => {
    const page = await open('/dashboard/admin/keys?role=admin');
    await press(page, 'Create admin key');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('On call');
    await dialog.getByRole('button', { name: 'Create admin key' }).click();
    const secret = await dialog.getByLabel('Secret', { exact: true }).innerText();
    await expectAccessible(page);
    await press(page, 'I’ve saved this key');
    await rowOf(page, 'On call').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await askPets(secret)).toBe(200);
    await choose(page, 'On call', 'Revoke');
    await page.keyboard.type('On call');
    await press(page, 'Revoke key');
    await rowOf(page, 'On call').getByText('Revoked').waitFor();
    expect(await askPets(secret)).toBe(401);
  });
});

test('revokes the chosen keys in one dialog that names them, each with its own record', async () => {
  const { id } = await project('Shop of chosen keys');
  const { apiKeys } = gateway.services;
  const made = [];
  const { id: other } = await project('Other shop');
  for (const [name, projectId] of [
    ['c-one', id],
    ['c-two', other],
    ['c-kept', id],
  ] as const)
    made.push(await apiKeys.create({ name, projectId }));
  const page = await open('/dashboard/admin/keys?nameContains=c-');
  for (const name of ['c-one', 'c-two']) await page.getByLabel(`Select ${name}`).check();
  await page.getByText('2 selected').waitFor();
  await press(page, 'Revoke 2 keys');
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('listitem').count()).toBe(2);
  for (const [name, of] of [
    ['c-one', 'Shop of chosen keys'],
    ['c-two', 'Other shop'],
  ] as const)
    await dialog.getByRole('listitem').filter({ hasText: name }).getByText(of).waitFor();
  const submit = dialog.getByRole('button', { name: 'Revoke 2 keys' });
  expect(await submit.isDisabled()).toBe(true);
  await page.keyboard.type('revoke 2');
  await expectAccessible(page);
  await submit.click();
  await page.getByText('Revoked 2 keys.').waitFor();
  await rowOf(page, 'c-two').getByText('Revoked').waitFor();
  // The button that opened the dialog is gone.
  await page.locator('h1:focus').waitFor();
  expect(await page.getByText('2 selected').count()).toBe(0);
  expect(await Promise.all(made.map(({ secret }) => askPets(secret)))).toEqual([401, 401, 200]);
  for (const one of [id, other]) {
    await page.goto(`${gateway.url}/dashboard/admin/audit?projectId=${one}&action=apiKey.revoke`);
    await until('a record', async () => (await page.getByRole('row').count()) === 1 + 1);
  }
});

test('the audit log goes back page by page, by project and key, with local times', async () => {
  const { id } = await project('Much changed');
  const change = gateway.services.administration({ role: 'command line', systemUser: 'alice@web-1' });
  for (let number = 0; number < 20; number++) await change.changePlan(id, number % 2 === 0 ? 'pro' : 'free');
  const { apiKey } = await change.createApiKey({ name: 'Audited', projectId: id });
  const page = await open(`/dashboard/admin/audit?projectId=${id}`);
  await rowOf(page, 'Created the key').waitFor();
  expect(await rowOf(page, 'Changed the plan').count()).toBe(19);
  await press(page, 'Next');
  await rowOf(page, 'Created the project').waitFor();
  expect(await rowOf(page, 'Changed the plan').count()).toBe(1);

  await press(page, 'All projects');
  await page.waitForURL('**/audit');
  // Both fields in one step, so that both searches begin before the page is drawn again.
  await page.evaluate(`for (const [name, value] of [['apiKeyId', '${apiKey.id}'], ['from', '2020-01-31']]) {
    const field = document.querySelector(\`input[name=\${name}]\`);
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  await page.waitForURL(`**/audit?apiKeyId=${apiKey.id}&from=2020-01-31`);
  await until('the row of the key alone', async () => (await page.getByRole('row').count()) === 1 + 1);
  const record = rowOf(page, 'Created the key');
  await record.getByText('alice@web-1').waitFor();
  await record.getByText('command line').waitFor();
  await record.getByRole('link', { name: 'Audited' }).waitFor();
  const shown = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'Europe/Berlin',
  });
  const at = (await record.locator('time').first().getAttribute('datetime')) ?? '';
  expect(await record.locator('time').first().textContent()).toBe(shown.format(new Date(at)));
  await expectAccessible(page);
});

test('the audit log is filtered by action and actor, names what was deleted, and is exported', async () => {
  const { id } = await project('=Gone');
  const change = gateway.services.administration({ role: 'command line', systemUser: 'alice@web-1' });
  await change.changePlan(id, 'pro');
  await change.changePlan(id, 'free');
  await change.deleteProject(id, '=Gone');
  const page = await open(`/dashboard/admin/audit?projectId=${id}`);
  await rowOf(page, 'Deleted the project').getByRole('link', { name: '=Gone' }).waitFor();
  await page.getByLabel('Action').selectOption({ label: 'Changed the plan' });
  await page.getByLabel('Made by').selectOption({ label: 'The command line' });
  await until('the changes of the plan alone', async () => (await page.getByRole('row').count()) === 2 + 1);
  expect(searchOf(page)).toBe(`?projectId=${id}&action=project.changePlan&actorRole=command+line`);

  const saved = async (button: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
    await page.getByText('Exported 2 records.').waitFor();
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };
  const csv = await saved('Export CSV');
  expect(csv.name).toBe('audit-log.csv');
  expect(csv.text.split('\r\n')).toEqual([
    'id,at,action,actorRole,actorName,actorKeyId,actorSystemUser,projectName,projectId,apiKeyName,apiKeyId,petId,changes',
    expect.stringContaining(`,command line,,,alice@web-1,'=Gone,${id},,,,plan: pro → free`),
    expect.stringContaining('plan: free → pro'),
    '',
  ]);
  const { name, text } = await saved('Export NDJSON');
  const fields = Object.keys(JSON.parse(text.split('\n', 1)[0] ?? '') as object);
  expect(fields).toEqual(csv.text.split('\r\n', 1)[0]?.split(','));
  expect(name).toBe('audit-log.ndjson');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([{ action: 'project.changePlan', projectName: '=Gone' }, { actorRole: 'command line' }]);

  await page.getByLabel('Made by').selectOption({ label: 'The gateway itself' });
  await page.getByText('No changes match these filters.').waitFor();
  await expectAccessible(page);
});

test('the fields for the key that made a change and for the key that was changed have different names', async () => {
  const { id } = await project('Two keys');
  const owner = await key({ name: 'Acting', role: 'owner', projectId: id });
  const { administration, authenticator } = gateway.services;
  await administration(await authenticator.authenticate(owner.secret)).createApiKey({
    name: 'Made',
    projectId: id,
  });
  const page = await open(`/dashboard/admin/audit?projectId=${id}`);
  const [actor, target] = [page.getByLabel('Actor key ID'), page.getByLabel('Target key ID')];
  await actor.fill(owner.apiKey.id);
  await until('the change of the actor alone', async () => (await page.getByRole('row').count()) === 1 + 1);
  await rowOf(page, 'Created the key').getByRole('link', { name: 'Made' }).waitFor();
  await actor.fill('');
  await target.fill(owner.apiKey.id);
  await page.getByText('No changes match these filters.').waitFor();
});

test('an export ends when its page is left: it says so, and saves no file', async () => {
  const { id } = await project('Much to export');
  const change = gateway.services.administration({ role: 'command line' });
  for (let number = 0; number < 101; number++) await change.changePlan(id, number % 2 === 0 ? 'pro' : 'free');
  const page = await open(`/dashboard/admin/audit?projectId=${id}`);
  const downloads: unknown[] = [];
  page.on('download', (download) => downloads.push(download));
  await rowOf(page, 'Changed the plan').first().waitFor();
  // The second page of the export waits until the reader has left.
  const isSecond = (request: Request) => request.postData()?.includes('"first":100,"after":"') === true;
  await page.route('**/graphql', async (route) => {
    if (!isSecond(route.request())) await route.continue();
  });
  await Promise.all([page.waitForRequest(isSecond), press(page, 'Export CSV')]);
  await Promise.all([
    page.waitForEvent('requestfailed', isSecond),
    page.getByRole('link', { name: 'System', exact: true }).click(),
  ]);
  await page.getByRole('status').getByText('The export stopped because you left the audit log.').waitFor();
  await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
  expect(downloads).toEqual([]);
});

describe('the system', () => {
  test('problems come first: overdue work, an expiring certificate, and a store outage', async () => {
    const { id } = await project('Shop of domains', 'pro');
    const change = gateway.services.administration({ role: 'command line' });
    await change.createDeploy({ projectId: id, template: 'storefront' });
    const late = await change.addDomain(id, 'late.customer.example');
    const ending = await change.addDomain(id, 'ending.customer.example');
    const { secret } = await key({ name: 'Of the system', projectId: id });
    const page = await open('/dashboard/admin/system');
    await page.getByText('All systems normal').waitFor();
    await expectAccessible(page);

    // What a worker would have come to by itself, had there been one.
    const domains = raw.collection<{ _id: string }>('domains');
    await domains.updateOne({ _id: late.id }, { $set: { nextRunAt: new Date(Date.now() - HOUR_MS) } });
    await domains.updateOne(
      { _id: ending.id },
      {
        $set: {
          holds: true,
          status: 'active',
          dns: { state: 'verified', verifiedAt: new Date(), failures: 0 },
          certificate: {
            state: 'failed',
            failures: 1,
            current: { id: 'crt_test', pem: '', notAfter: new Date(Date.now() + 3 * DAY_MS) },
          },
          problem: { code: 'caa_blocks', message: 'A CAA record blocks it.', at: new Date() },
        },
      },
    );
    await redis.kill();
    expect(await askPets(secret)).toBe(200);
    await page.clock.install();
    await page.reload();
    const wrong = page.getByRole('group', { name: 'Problems' });
    await wrong.getByText('Failing: Quota store').waitFor();
    await wrong.getByText('The quota store is down').waitFor();
    await wrong.getByText('Work on domains is overdue').waitFor();
    await wrong.getByText('1 domain is waiting for a DNS check').waitFor();
    await wrong.getByText('The certificate of ending.customer.example may expire').waitFor();
    await rowOf(page, 'ending.customer.example').getByText('A CAA record blocks it.').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Quota store' }).textContent()).toMatch(
      /^Failing/,
    );
    await expectAccessible(page);

    await redis.restart();
    await domains.deleteMany({});
    await page.clock.runFor(30_000);
    await page.getByText('Work on domains is overdue').waitFor({ state: 'detached' });
  });
});

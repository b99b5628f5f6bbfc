import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { runCommand, runJson } from '../../support/command-line.js';
import { useGateway } from '../../support/gateway.js';

/** What owners and admins can change about keys and projects that exist. */
let admin: string;
let nowMs = Date.now();

const gateway = useGateway({ clock: () => nowMs });
beforeAll(async () => {
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' }));
});

const HOUR_MS = 3_600_000;
const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
const inMs = (ms: number) => new Date(nowMs + ms).toISOString();

interface UpdatedKey {
  name: string;
  state: string;
  expiresAt: string | null;
  allowedOrigins: string[];
}

const UPDATE_KEY = `mutation ($input: UpdateApiKeyInput!) {
  updateApiKey(input: $input) { apiKey { name state expiresAt allowedOrigins } }
}`;
const askToUpdate = (input: Record<string, unknown>) =>
  askGraphQL<{ updateApiKey: { apiKey: UpdatedKey } }>(gateway, admin, UPDATE_KEY, { input });
const update = async (input: Record<string, unknown>) =>
  (await dataOf(askToUpdate(input))).updateApiKey.apiKey;

const askPets = (key: string, origin?: string) =>
  askGraphQL(gateway, key, '{ pets { id } }', {}, origin === undefined ? {} : { origin });
const statusOf = async (key: string) => (await gateway.request('/v1/pets', { key })).status;

async function lastChange(about: string) {
  const log = `{ auditLog(${about}, first: 1) { edges { node { action changes { property before after } } } } }`;
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: { action: string; changes: object[] } }[] } }>(
      gateway,
      admin,
      log,
    ),
  );
  return auditLog.edges[0]?.node;
}

describe('updateApiKey', () => {
  test('changes the name alone, and the audit log has it before and after', async () => {
    const { apiKey, secret } = await gateway.keyOn('pro', undefined, {
      name: 'Shop',
      expiresAt: new Date(nowMs + HOUR_MS),
    });
    expect(await update({ id: apiKey.id, name: '  Shop backend ' })).toEqual({
      name: 'Shop backend',
      state: 'active',
      expiresAt: apiKey.expiresAt?.toISOString(),
      allowedOrigins: [],
    });
    expect(await lastChange(`apiKeyId: "${apiKey.id}"`)).toEqual({
      action: 'apiKey.update',
      changes: [{ property: 'name', before: 'Shop', after: 'Shop backend' }],
    });
    expect(await statusOf(secret)).toBe(200);
  });

  test('a change without effect leaves no audit record', async () => {
    const { apiKey } = await gateway.keyOn('pro', undefined, { name: 'Same' });
    await update({ id: apiKey.id, name: 'Same', expiresAt: null });
    await update({ id: apiKey.id, name: null, allowedOrigins: null });
    expect(await lastChange(`apiKeyId: "${apiKey.id}"`)).toBeUndefined();
  });

  test('a shorter expiry ends the key then; a later one lets it work again; null keeps it forever', async () => {
    const { apiKey, secret } = await gateway.keyOn('pro');
    await update({ id: apiKey.id, expiresAt: inMs(HOUR_MS) });
    expect(await statusOf(secret)).toBe(200);
    nowMs += HOUR_MS;
    expect(await statusOf(secret)).toBe(401);
    expect(await update({ id: apiKey.id, name: 'Late' })).toMatchObject({ state: 'expired', name: 'Late' });
    expect(await update({ id: apiKey.id, expiresAt: inMs(HOUR_MS) })).toMatchObject({ state: 'active' });
    expect(await statusOf(secret)).toBe(200);
    expect(await update({ id: apiKey.id, expiresAt: null })).toMatchObject({ expiresAt: null });
    nowMs += 2 * HOUR_MS;
    expect(await statusOf(secret)).toBe(200);
  });

  test('the next request of a browser key follows its new origins', async () => {
    const { apiKey, secret } = await gateway.keyOn('pro', undefined, {
      role: 'browser',
      allowedOrigins: [SHOP],
    });
    expect((await askPets(secret, SHOP)).errors).toBeUndefined();
    expect((await askPets(secret, OTHER)).errors).toBeDefined();
    expect(await update({ id: apiKey.id, allowedOrigins: [OTHER] })).toMatchObject({
      allowedOrigins: [OTHER],
    });
    expect((await askPets(secret, SHOP)).errors).toBeDefined();
    expect((await askPets(secret, OTHER)).errors).toBeUndefined();
  });

  test('an expired key works again only if the plan includes one more key', async () => {
    const { apiKey } = await gateway.keyOn('free', undefined, { expiresAt: new Date(nowMs + HOUR_MS) });
    nowMs += HOUR_MS;
    const { projectId } = apiKey;
    for (let i = 0; i < 5; i++) await gateway.services.apiKeys.create({ name: 'Active', projectId });
    for (const expiresAt of [inMs(HOUR_MS), null]) {
      const { errors } = await askToUpdate({ id: apiKey.id, expiresAt });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'plan_required', details: { upgradeTo: 'pro' } });
    }
    expect(await update({ id: apiKey.id, name: 'Still expired' })).toMatchObject({ state: 'expired' });
  });

  test('an active key changes its expiry whatever the plan includes', async () => {
    const { apiKey } = await gateway.keyOn('free');
    const { projectId } = apiKey;
    for (let i = 0; i < 4; i++) await gateway.services.apiKeys.create({ name: 'Active', projectId });
    expect(await update({ id: apiKey.id, expiresAt: inMs(HOUR_MS) })).toMatchObject({ state: 'active' });
  });

  test('a revoked key cannot change', async () => {
    const { apiKey, secret } = await gateway.keyOn('pro');
    await gateway.services.apiKeys.revoke(apiKey.id);
    expect(await codesOf(askToUpdate({ id: apiKey.id, expiresAt: null }))).toEqual(['conflict']);
    expect(await statusOf(secret)).toBe(401);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an empty name', { name: ' ' }, 'input.name'],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
    ['origins of a server key', { allowedOrigins: [SHOP] }, 'input.allowedOrigins'],
  ])('%s is an error at its field', async (_what, changes, field) => {
    const { apiKey } = await gateway.keyOn('pro');
    const { errors } = await askToUpdate({ id: apiKey.id, ...changes });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'invalid_request',
      details: { fields: [expect.objectContaining({ field })] },
    });
  });

  test('a browser key keeps at least one origin', async () => {
    const { apiKey } = await gateway.keyOn('pro', undefined, { role: 'browser', allowedOrigins: [SHOP] });
    expect(await codesOf(askToUpdate({ id: apiKey.id, allowedOrigins: [] }))).toEqual(['invalid_request']);
  });
});

test('updateProject renames: the slug stays, and the audit log has both names', async () => {
  const project = await gateway.services.projects.create({ name: 'Zoo' });
  const rename = (name: string) =>
    askGraphQL<{ updateProject: { project: { name: string; slug: string } } }>(
      gateway,
      admin,
      'mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { project { name slug } } }',
      { input: { projectId: project.id, name } },
    );
  expect((await dataOf(rename('City zoo'))).updateProject.project).toEqual({
    name: 'City zoo',
    slug: project.slug,
  });
  expect(await codesOf(rename(''))).toEqual(['invalid_request']);
  expect(await lastChange(`projectId: "${project.id}"`)).toEqual({
    action: 'project.update',
    changes: [{ property: 'name', before: 'Zoo', after: 'City zoo' }],
  });
});

test('siteAnimals: own unless set, changed by its owner alone or with the name, and in the audit log', async () => {
  const { apiKey, secret } = await gateway.keyOn('pro', undefined, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const update = (input: object) =>
    askGraphQL<{ updateProject: { project: { siteAnimals: string } } }>(
      gateway,
      secret,
      'mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { project { siteAnimals } } }',
      { input: { projectId, ...input } },
    );
  const siteAnimals = async (input: object) =>
    (await dataOf(update(input))).updateProject.project.siteAnimals;
  expect(await siteAnimals({ name: 'Renamed' })).toBe('own');
  expect(await siteAnimals({ siteAnimals: 'all' })).toBe('all');
  expect(await siteAnimals({ name: 'Again', siteAnimals: null })).toBe('all');
  expect(await codesOf(update({}))).toEqual(['invalid_request']);
  expect(await codesOf(update({ projectId: 'proj_other', siteAnimals: 'all' }))).toEqual(['forbidden']);
  expect(await siteAnimals({ siteAnimals: 'own' })).toBe('own');
  expect(await lastChange(`projectId: "${projectId}"`)).toEqual({
    action: 'project.update',
    changes: [{ property: 'siteAnimals', before: 'all', after: 'own' }],
  });
});

test('at the command line, `keys update` and `projects rename` find by name', async () => {
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = gateway.databaseName;
  const database = { uri: uri.href };
  const { apiKey } = await gateway.keyOn('pro', undefined, { name: 'Of the CLI' });
  const change = ['keys', 'update', 'Of the CLI', '--name', 'Renamed', '--expires', '2099-01-31'];
  expect(await runJson(database, change)).toMatchObject({
    id: apiKey.id,
    name: 'Renamed',
    expiresAt: '2099-01-31T00:00:00.000Z',
  });
  expect(await runJson(database, ['keys', 'update', 'Renamed', '--no-expires'])).toMatchObject({
    name: 'Renamed',
    expiresAt: null,
  });
  const { code, stderr } = await runCommand(database, ['keys', 'update', 'Renamed']);
  expect(code).toBe(2);
  expect(stderr).toContain('Use --name, --expires, --no-expires or --origin.');
  expect(await runJson(database, ['projects', 'rename', apiKey.projectId ?? '', 'Of the CLI'])).toMatchObject(
    {
      id: apiKey.projectId,
      name: 'Of the CLI',
    },
  );
  expect(await runJson(database, ['projects', 'site-animals', 'Of the CLI', 'all'])).toMatchObject({
    id: apiKey.projectId,
    siteAnimals: 'all',
  });
});

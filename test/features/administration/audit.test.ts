import { hostname, userInfo } from 'node:os';
import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { runCommand } from '../../support/command-line.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { AMPLE } from '../../support/rest-client.js';

interface RecordNode {
  at: string;
  action: string;
  actorKeyId: string | null;
  actorRole: string;
  projectId: string | null;
  apiKeyId: string | null;
  changes: { property: string; before: string | null; after: string | null }[];
}

const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;
let admin: { secret: string; apiKey: { id: string } };
let owner: { secret: string; apiKey: { id: string; projectId?: string | undefined } };

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  admin = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  owner = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
});
afterAll(() => raw.close());

const LOG = `query ($first: Int, $after: String, $projectId: ID, $apiKeyId: ID, $actorKeyId: ID) {
  auditLog(first: $first, after: $after, projectId: $projectId, apiKeyId: $apiKeyId, actorKeyId: $actorKeyId) {
    edges { cursor node { at action actorKeyId actorRole projectId apiKeyId changes { property before after } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
interface Log {
  auditLog: { edges: { node: RecordNode }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}
async function records(secret: string, variables: Record<string, unknown> = {}): Promise<RecordNode[]> {
  return (await dataOf(askGraphQL<Log>(gateway, secret, LOG, variables))).auditLog.edges.map(
    ({ node }) => node,
  );
}
const run = <T = Record<string, unknown>>(secret: string, mutation: string) =>
  dataOf(askGraphQL<T>(gateway, secret, `mutation { ${mutation} }`));

test('records every change: who, when, what, before and after; and no secrets', async () => {
  const { createProject } = await run<{ createProject: { project: { id: string } } }>(
    admin.secret,
    'createProject(input: { name: "Zoo" }) { project { id } }',
  );
  const projectId = createProject.project.id;
  const { createApiKey } = await run<{
    createApiKey: { apiKey: { id: string; start: string }; secret: string };
  }>(
    admin.secret,
    `createApiKey(input: { projectId: "${projectId}", name: "K" }) { apiKey { id start } secret }`,
  );
  const { id, start } = createApiKey.apiKey;
  // Something for the reset to forgive.
  await gateway.request('/v1/pets', { key: createApiKey.secret });
  const policy = { strikes: 1, strikeWindowSeconds: 1, banSeconds: 600, maxBanSeconds: 600 };
  await gateway.services.apiKeysStore.ban(id, Date.now(), policy);
  await run(
    admin.secret,
    `a: changePlan(input: { projectId: "${projectId}", plan: enterprise, customQuota: { requestsPerMinute: 5, requestsPerDay: 50 } }) { project { id } }
     b: resetQuota(input: { apiKeyId: "${id}", window: minute }) { quota { windows { used } } }
     c: liftBan(input: { apiKeyId: "${id}" }) { quota { ban { until } } }
     d: rotateApiKey(input: { id: "${id}" }) { apiKey { id } }
     e: revokeApiKey(input: { id: "${id}" }) { apiKey { id } }`,
  );

  const log = await records(admin.secret, { projectId });
  expect(log.map(({ action }) => action)).toEqual([
    'apiKey.revoke',
    'apiKey.rotate',
    'ban.lift',
    'quota.reset',
    'project.changePlan',
    'apiKey.create',
    'project.create',
  ]);
  const [revoke, rotate, lift, reset, plan, create, made] = log;
  for (const record of log) {
    expect(record).toMatchObject({ actorKeyId: admin.apiKey.id, actorRole: 'admin', projectId });
    expect(Math.abs(Date.parse(record.at) - Date.now())).toBeLessThan(60_000);
  }
  const any = expect.any(String) as string;
  expect(plan?.changes).toEqual([
    { property: 'plan', before: 'free', after: 'enterprise' },
    { property: 'requestsPerMinute', before: null, after: '5' },
    { property: 'requestsPerDay', before: null, after: '50' },
  ]);
  expect(made?.changes).toEqual([
    { property: 'name', before: null, after: 'Zoo' },
    { property: 'plan', before: null, after: 'free' },
    { property: 'siteAnimals', before: null, after: 'own' },
  ]);
  expect(create).toMatchObject({ apiKeyId: id });
  expect(create?.changes).toContainEqual({ property: 'start', before: null, after: start });
  expect(reset?.changes).toEqual([{ property: 'minuteUsed', before: '1', after: '0' }]);
  expect(lift?.changes).toEqual([{ property: 'bannedUntil', before: any, after: any }]);
  expect(rotate?.changes).toEqual([
    { property: 'start', before: start, after: any },
    { property: 'oldSecretEndsAt', before: null, after: any },
  ]);
  expect(revoke?.changes).toEqual([{ property: 'revokedAt', before: null, after: any }]);

  const stored = JSON.stringify(await raw.collection('audit').find().toArray());
  expect(stored).not.toContain(createApiKey.secret);
  expect(stored).not.toMatch(/[0-9a-f]{64}/);
});

test('records the origins of a browser key, but not calls that change nothing', async () => {
  const { projectId } = owner.apiKey;
  const { createApiKey } = await run<{ createApiKey: { apiKey: { id: string } } }>(
    admin.secret,
    `createApiKey(input: { projectId: "${projectId ?? ''}", name: "B", role: browser, allowedOrigins: ["https://shop.example"] }) { apiKey { id } }`,
  );
  const { id } = createApiKey.apiKey;
  await run(admin.secret, `liftBan(input: { apiKeyId: "${id}" }) { quota { ban { until } } }`);
  await run(
    admin.secret,
    `a: revokeApiKey(input: { id: "${id}" }) { apiKey { id } } b: revokeApiKey(input: { id: "${id}" }) { apiKey { id } }`,
  );
  const log = await records(admin.secret, { apiKeyId: id });
  expect(log.map(({ action }) => action)).toEqual(['apiKey.revoke', 'apiKey.create']);
  expect(log[1]?.changes).toContainEqual({
    property: 'allowedOrigins',
    before: null,
    after: 'https://shop.example',
  });
});

test('an owner reads the log of its own project only', async () => {
  const { createApiKey } = await run<{ createApiKey: { apiKey: { id: string } } }>(
    owner.secret,
    'createApiKey(input: { name: "K" }) { apiKey { id } }',
  );
  const [record] = await records(owner.secret);
  expect(record).toMatchObject({
    action: 'apiKey.create',
    actorKeyId: owner.apiKey.id,
    actorRole: 'owner',
    projectId: owner.apiKey.projectId,
    apiKeyId: createApiKey.apiKey.id,
  });
  const foreign = await gateway.keyOn('free', undefined, { role: 'owner' });
  expect(await records(foreign.secret)).toEqual([]);
  expect(await records(foreign.secret, { apiKeyId: createApiKey.apiKey.id })).toEqual([]);
});

test('pages lead through the whole log, newest first, each record once', async () => {
  const { secret, apiKey } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
  for (let i = 0; i < 5; i++) await run(secret, `createApiKey(input: { name: "K${i}" }) { secret }`);
  const names: unknown[] = [];
  let after: string | null = null;
  do {
    const { auditLog }: Log = await dataOf(askGraphQL<Log>(gateway, secret, LOG, { first: 2, after }));
    names.push(...auditLog.edges.map(({ node }) => node.changes.find((c) => c.property === 'name')?.after));
    after = auditLog.pageInfo.hasNextPage ? auditLog.pageInfo.endCursor : null;
  } while (after !== null);
  expect(names).toEqual(['K4', 'K3', 'K2', 'K1', 'K0']);
  expect(apiKey.projectId).toBeDefined();
  expect(await codesOf(askGraphQL(gateway, secret, LOG, { after: 'x' }))).toEqual(['invalid_request']);
});

test('records nothing that did not happen', async () => {
  const before = await raw.collection('audit').countDocuments();
  for (const mutation of [
    'changePlan(input: { projectId: "none", plan: pro }) { project { id } }',
    'revokeApiKey(input: { id: "none" }) { apiKey { id } }',
    'createApiKey(input: { projectId: "none", name: "x" }) { secret }',
  ])
    expect(await codesOf(askGraphQL(gateway, admin.secret, `mutation { ${mutation} }`))).toEqual([
      'not_found',
    ]);
  expect(await raw.collection('audit').countDocuments()).toBe(before);
});

test('the schema cannot change a record', async () => {
  const query = '{ __schema { mutationType { fields { name } } } }';
  const { __schema: schema } = await dataOf(
    askGraphQL<{ __schema: { mutationType: { fields: { name: string }[] } } }>(gateway, admin.secret, query),
  );
  expect(schema.mutationType.fields.filter(({ name }) => /audit/i.test(name))).toEqual([]);
  expect(Object.keys(gateway.services.audit).sort()).toEqual(['add', 'addOrCount', 'list', 'namesOf']);
});

describe('a change whose record cannot be written', () => {
  beforeAll(() => refuseRecords({ action: { $exists: false } }));
  afterAll(() => refuseRecords({}));

  async function refuseRecords(validator: object): Promise<void> {
    await raw.db?.command({ collMod: 'audit', validator });
  }

  test('does not happen, whatever it is, and says nothing of why', async () => {
    const { apiKey, secret } = await gateway.keyOn('free');
    await gateway.request('/v1/pets', { key: secret });
    const policy = { strikes: 1, strikeWindowSeconds: 1, banSeconds: 600, maxBanSeconds: 600 };
    const banned = await gateway.services.apiKeysStore.ban(apiKey.id, Date.now(), policy);
    const snapshot = async () => ({
      key: await raw.collection('apiKeys').findOne({ _id: apiKey.id as never }),
      keys: await raw.collection('apiKeys').countDocuments(),
      projects: await raw.collection('projects').find().sort({ _id: 1 }).toArray(),
    });
    await gateway.services.recorder.flush();
    const before = await snapshot();
    for (const mutation of [
      'createProject(input: { name: "Never" }) { project { id } }',
      `changePlan(input: { projectId: "${apiKey.projectId ?? ''}", plan: pro }) { project { id } }`,
      `createApiKey(input: { projectId: "${apiKey.projectId ?? ''}", name: "Never" }) { secret }`,
      `rotateApiKey(input: { id: "${apiKey.id}" }) { secret }`,
      `revokeApiKey(input: { id: "${apiKey.id}" }) { apiKey { id } }`,
      `resetQuota(input: { apiKeyId: "${apiKey.id}" }) { quota { windows { used } } }`,
      `liftBan(input: { apiKeyId: "${apiKey.id}" }) { quota { ban { until } } }`,
    ]) {
      const { errors } = await askGraphQL(gateway, admin.secret, `mutation { ${mutation} }`);
      expect(errors).toMatchObject([
        {
          message: 'The gateway failed to process the request. Quote the request id when you ask for help.',
          extensions: { code: 'internal_error', status: 500 },
        },
      ]);
    }
    expect(await snapshot()).toEqual(before);
    expect(banned?.ban).toBeDefined();
    // The reason is in the log, under the id that the client got.
    expect(
      gateway.logLines.some((line) => line.includes('failed validation') && line.includes('requestId')),
    ).toBe(true);
  });
});

test('a record links to its project and keys; an owner does not see the key of an admin', async () => {
  const { apiKey } = await gateway.services.apiKeys.create({
    name: 'Backend',
    projectId: owner.apiKey.projectId,
  });
  const rotate = `rotateApiKey(input: { id: "${apiKey.id}" }) { secret }`;
  await run(admin.secret, rotate);
  await run(owner.secret, rotate);
  const NAMES = `query ($apiKeyId: ID) { auditLog(apiKeyId: $apiKeyId) {
    edges { node { actorRole project { id } apiKey { name } actorKey { id } } } } }`;
  const seenBy = async (secret: string) =>
    (
      await dataOf(
        askGraphQL<{ auditLog: { edges: { node: unknown }[] } }>(gateway, secret, NAMES, {
          apiKeyId: apiKey.id,
        }),
      )
    ).auditLog.edges.map(({ node }) => node);

  const target = { project: { id: owner.apiKey.projectId }, apiKey: { name: 'Backend' } };
  const byOwner = { ...target, actorRole: 'owner', actorKey: { id: owner.apiKey.id } };
  const byAdmin = { ...target, actorRole: 'admin', actorKey: { id: admin.apiKey.id } };
  expect(await seenBy(admin.secret)).toEqual([byOwner, byAdmin]);
  expect(await seenBy(owner.secret)).toEqual([byOwner, { ...byAdmin, actorKey: null }]);
});

test('a change at the command line shows its user to admins, and only "the command line" to owners', async () => {
  const { apiKey } = await gateway.services.apiKeys.create({
    name: 'Till',
    projectId: owner.apiKey.projectId,
  });
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = gateway.databaseName;
  expect(await runCommand({ uri: uri.href }, ['keys', 'revoke', apiKey.id, '--yes'])).toMatchObject({
    code: 0,
  });
  const WHO = `query ($apiKeyId: ID) { auditLog(apiKeyId: $apiKeyId) {
    edges { node { action actorRole actorKeyId actorSystemUser } } } }`;
  const seenBy = async (secret: string) =>
    (
      await dataOf(
        askGraphQL<{ auditLog: { edges: { node: unknown }[] } }>(gateway, secret, WHO, {
          apiKeyId: apiKey.id,
        }),
      )
    ).auditLog.edges.map(({ node }) => node);

  const record = { action: 'apiKey.revoke', actorRole: 'command line', actorKeyId: null };
  const actorSystemUser = `${userInfo().username}@${hostname()}`;
  expect(await seenBy(admin.secret)).toEqual([{ ...record, actorSystemUser }]);
  expect(await seenBy(owner.secret)).toEqual([{ ...record, actorSystemUser: null }]);
});

test('finds all actions of one key; an owner finds only those in its project', async () => {
  const { apiKey: leaked, secret } = await gateway.services.apiKeys.create({ name: 'Leaked', role: 'admin' });
  const { projectId } = owner.apiKey;
  await run(secret, 'createProject(input: { name: "Of a thief" }) { project { id } }');
  await run(secret, `createApiKey(input: { projectId: "${projectId ?? ''}", name: "Back door" }) { secret }`);
  await run(admin.secret, 'createProject(input: { name: "Of an admin" }) { project { id } }');
  const actionsFor = async (reader: string) =>
    (await records(reader, { actorKeyId: leaked.id })).map(({ action }) => action);
  expect(await actionsFor(admin.secret)).toEqual(['apiKey.create', 'project.create']);
  expect(await actionsFor(owner.secret)).toEqual(['apiKey.create']);
});

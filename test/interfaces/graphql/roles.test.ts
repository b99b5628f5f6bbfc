import { useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { askGraphQL, codesOf, dataOf, type GraphQLBody } from './client.js';

const ORIGIN = 'https://shop.example';
const ROLES = ['browser', 'server', 'staff', 'foreign staff', 'owner', 'foreign owner', 'admin'] as const;
type Role = (typeof ROLES)[number];

const gateway = useGateway({
  env: {
    BROWSER_REQUESTS_PER_MINUTE_PER_IP: '1000',
    PLATFORM_HOST: 'pets.test',
    PUBLIC_URL: 'http://127.0.0.1:3000',
  },
});
let secrets: Record<Role, string>;
let projectId: string;

beforeAll(async () => {
  const { projects, apiKeys, petsStore } = gateway.services;
  await petsStore.insertMany([{ name: 'Rex', categoryId: 1n, status: 'available' }]);
  const quota = { plan: 'enterprise' as const, customQuota: AMPLE };
  ({ id: projectId } = await projects.create({ name: 'Own', ...quota }));
  const { id: foreignId } = await projects.create({ name: 'Foreign', ...quota });
  const issue = async (input: Parameters<typeof apiKeys.create>[0]) => (await apiKeys.create(input)).secret;
  const invite = async (name: string, of: string) =>
    (await apiKeys.acceptInvitation((await apiKeys.invite({ name, projectId: of })).invitation.text)).secret;
  secrets = {
    browser: await issue({ name: 'browser', role: 'browser', projectId, allowedOrigins: [ORIGIN] }),
    server: await issue({ name: 'server', projectId }),
    staff: await invite('staff', projectId),
    'foreign staff': await invite('foreign staff', foreignId),
    owner: await issue({ name: 'owner', role: 'owner', projectId }),
    'foreign owner': await issue({ name: 'foreign', role: 'owner', projectId: foreignId }),
    admin: await issue({ name: 'admin', role: 'admin' }),
  };
});

const ask = <T = Record<string, unknown>>(
  role: Role,
  query: string,
  variables: Record<string, unknown> = {},
) => askGraphQL<T>(gateway, secrets[role], query, variables, { origin: ORIGIN });

/** A key of the project `Own`, made for one case. */
const freshKey = async () => (await gateway.services.apiKeys.create({ name: 'fresh', projectId })).apiKey.id;

/** `ok`, the code of the error, or `null` where the answer is that there is no such thing. */
async function said(answer: Promise<GraphQLBody>): Promise<string> {
  const { data, errors } = await answer;
  if (errors !== undefined) return [...new Set(errors.map(({ extensions }) => extensions.code))].join();
  return Object.values(data ?? {}).every((value) => value === null) ? 'null' : 'ok';
}

/** What is said to each role, in the order of ROLES. */
type Said = readonly [string, string, string, string, string, string, string];
const FORBIDDEN = 'forbidden';
const toOwners = (own: string, foreign: string, admin: string): Said => [
  FORBIDDEN,
  FORBIDDEN,
  FORBIDDEN,
  FORBIDDEN,
  own,
  foreign,
  admin,
];
const toStaffToo = (own: string, foreign: string, admin: string): Said => [
  FORBIDDEN,
  FORBIDDEN,
  own,
  foreign,
  own,
  foreign,
  admin,
];
const toAllButBrowsers = (said: string): Said => [FORBIDDEN, said, said, said, said, said, said];
const EVERYBODY: Said = ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'];
const ALL_BUT_BROWSERS = toAllButBrowsers('ok');
const OWNERS = toOwners('ok', 'ok', 'ok');
const OF_OWN_PROJECT = toOwners('ok', FORBIDDEN, 'ok');
const OF_OWN_KEY = toOwners('ok', 'not_found', 'ok');
const ADMINS = toOwners(FORBIDDEN, FORBIDDEN, 'ok');

/** Each operation of the schema. */
const CASES: [string, string, Said][] = [
  ['pets', '{ pets { id } }', EVERYBODY],
  ['petsConnection', '{ petsConnection { edges { node { id } } } }', EVERYBODY],
  ['petsByIds', '{ petsByIds(ids: [1]) { id } }', EVERYBODY],
  ['pet', '{ pet(id: 1) { id } }', EVERYBODY],
  ['introspection', '{ __schema { queryType { name } } }', EVERYBODY],
  ['quota', '{ quota { windows { used } } }', ALL_BUT_BROWSERS],
  ['plans', '{ plans { id requestsPerMinute } }', ALL_BUT_BROWSERS],
  [
    'project',
    'query ($projectId: ID!) { project(id: $projectId) { name plan { id } customQuota { requestsPerDay } apiKeys { edges { node { id } } } } }',
    OF_OWN_PROJECT,
  ],
  [
    'project and its deploys',
    'query ($projectId: ID!) { project(id: $projectId) { slug deploys { edges { node { id } } } } }',
    OF_OWN_PROJECT,
  ],
  [
    'project, its plan and its site',
    'query ($projectId: ID!) { project(id: $projectId) { name plan { name } site { url } liveDeploy { id } } }',
    toStaffToo('ok', FORBIDDEN, 'ok'),
  ],
  ...['activeApiKeys', 'hasPets', 'primaryDomain', 'usage { requests }'].map(
    (field): [string, string, Said] => [
      `project and its ${field}`,
      `query ($projectId: ID!) { project(id: $projectId) { ${field} } }`,
      OF_OWN_PROJECT,
    ],
  ),
  ['project that is not there', '{ project(id: "x") { id } }', toOwners(FORBIDDEN, FORBIDDEN, 'null')],
  ['projects', '{ projects { edges { node { id } } } }', ADMINS],
  [
    'apiKey',
    'query ($id: ID!) { apiKey(id: $id) { id name start role state project { id } quota { windows { used } } } }',
    toOwners('ok', 'null', 'ok'),
  ],
  ['apiKey that is not there', '{ apiKey(id: "x") { id } }', toOwners('null', 'null', 'null')],
  ['apiKeys', '{ apiKeys { edges { node { id } } } }', OWNERS],
  [
    'apiKeys of a project',
    'query ($projectId: ID!) { apiKeys(filter: { projectId: $projectId }) { edges { node { id } } } }',
    OF_OWN_PROJECT,
  ],
  ['systemHealth', '{ systemHealth { ready } }', ADMINS],
  ['traffic', '{ traffic { requests periods { start requests } } }', ADMINS],
  [
    'project and its rejections',
    'query ($projectId: ID!) { project(id: $projectId) { refusals { at apiKey { id } } } }',
    OF_OWN_PROJECT,
  ],
  ['auditLog', '{ auditLog { edges { node { id } } } }', OWNERS],
  [
    'auditLog of a project',
    'query ($projectId: ID!) { auditLog(projectId: $projectId) { edges { node { id } } } }',
    OF_OWN_PROJECT,
  ],
  ['createPet', 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }', ALL_BUT_BROWSERS],
  [
    'updatePet that is not there',
    'mutation { updatePet(input: { id: 0, status: sold }) { pet { id } } }',
    toAllButBrowsers('pet_not_found'),
  ],
  [
    'deletePet that is not there',
    'mutation { deletePet(input: { id: 0 }) { deletedPetId } }',
    toAllButBrowsers('pet_not_found'),
  ],
  [
    'deleteProjectPets',
    'mutation ($projectId: ID!) { deleteProjectPets(input: { projectId: $projectId }) { deletedCount } }',
    ADMINS,
  ],
  [
    'createPetsImport',
    'mutation ($projectId: ID!) { createPetsImport(input: { projectId: $projectId, existing: skip }) { petsImport { id } } }',
    toStaffToo('ok', FORBIDDEN, 'ok'),
  ],
  ['petsImport that is not there', '{ petsImport(id: "x") { id } }', toStaffToo('null', 'null', 'null')],
  [
    'startPetsImport of one that is not there',
    'mutation { startPetsImport(input: { id: "x" }) { petsImport { id } } }',
    toStaffToo('not_found', 'not_found', 'not_found'),
  ],
  ['createProject', 'mutation { createProject(input: { name: "x" }) { project { id } } }', ADMINS],
  [
    'changePlan',
    'mutation ($projectId: ID!) { changePlan(input: { projectId: $projectId, plan: enterprise, customQuota: { requestsPerMinute: 1000000, requestsPerDay: 10000000 } }) { project { id } } }',
    ADMINS,
  ],
  [
    'deleteProject that is not there',
    'mutation { deleteProject(input: { projectId: "x", name: "x" }) { projectId } }',
    toOwners(FORBIDDEN, FORBIDDEN, 'not_found'),
  ],
  [
    'createApiKey',
    'mutation ($projectId: ID!) { createApiKey(input: { projectId: $projectId, name: "x" }) { secret } }',
    OF_OWN_KEY,
  ],
  [
    'createApiKey, owner',
    'mutation ($projectId: ID!) { createApiKey(input: { projectId: $projectId, name: "x", role: owner }) { secret } }',
    OF_OWN_KEY,
  ],
  ['createApiKey, admin', 'mutation { createApiKey(input: { name: "x", role: admin }) { secret } }', ADMINS],
  [
    'createApiKey, admin, in a project',
    'mutation ($projectId: ID!) { createApiKey(input: { projectId: $projectId, name: "x", role: admin }) { secret } }',
    toOwners(FORBIDDEN, FORBIDDEN, 'invalid_request'),
  ],
  [
    'updateProject',
    'mutation ($projectId: ID!) { updateProject(input: { projectId: $projectId, name: "Own" }) { project { name } } }',
    OF_OWN_PROJECT,
  ],
  [
    'updateApiKey',
    'mutation ($id: ID!) { updateApiKey(input: { id: $id, name: "y" }) { apiKey { name } } }',
    OF_OWN_KEY,
  ],
  [
    'rotateApiKey',
    'mutation ($id: ID!) { rotateApiKey(input: { id: $id, overlapSeconds: 0 }) { secret } }',
    OF_OWN_KEY,
  ],
  [
    'disableApiKey',
    'mutation ($id: ID!) { disableApiKey(input: { id: $id }) { apiKey { state } } }',
    OF_OWN_KEY,
  ],
  [
    'enableApiKey',
    'mutation ($id: ID!) { enableApiKey(input: { id: $id }) { apiKey { state } } }',
    OF_OWN_KEY,
  ],
  [
    'revokeApiKey',
    'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { state } } }',
    OF_OWN_KEY,
  ],
  [
    'createInvitation',
    'mutation ($projectId: ID!) { createInvitation(input: { projectId: $projectId, name: "x" }) { path } }',
    OF_OWN_KEY,
  ],
  [
    'renewInvitation of a server key',
    'mutation ($id: ID!) { renewInvitation(input: { apiKeyId: $id }) { path } }',
    toOwners('conflict', 'not_found', 'conflict'),
  ],
  [
    'resetQuota',
    'mutation ($id: ID!) { resetQuota(input: { apiKeyId: $id }) { quota { windows { used } } } }',
    ADMINS,
  ],
  [
    'liftBan',
    'mutation ($id: ID!) { liftBan(input: { apiKeyId: $id }) { quota { ban { until } } } }',
    ADMINS,
  ],
  [
    'createDeploy',
    'mutation ($projectId: ID!) { createDeploy(input: { projectId: $projectId }) { deploy { id } upload { url } } }',
    OF_OWN_PROJECT,
  ],
  [
    'rollbackDeploy to one that is not there',
    'mutation ($projectId: ID!) { rollbackDeploy(input: { projectId: $projectId, deployId: "x" }) { deploy { id } } }',
    toOwners('not_found', FORBIDDEN, 'not_found'),
  ],
  [
    'project and its domains',
    'query ($projectId: ID!) { project(id: $projectId) { primaryDomain domains { id } redirects { from } } }',
    OF_OWN_PROJECT,
  ],
  ['domain that is not there', '{ domain(id: "x") { id } }', toOwners('null', 'null', 'null')],
  [
    'addDomain to a project without a deploy',
    'mutation ($projectId: ID!) { addDomain(input: { projectId: $projectId, name: "a.example" }) { domain { id } } }',
    toOwners('precondition_failed', FORBIDDEN, 'precondition_failed'),
  ],
  [
    'verifyDomain of one that is not there',
    'mutation { verifyDomain(input: { id: "x" }) { domain { id } } }',
    toOwners('not_found', 'not_found', 'not_found'),
  ],
  [
    'setPrimaryDomain',
    'mutation ($projectId: ID!) { setPrimaryDomain(input: { projectId: $projectId }) { project { primaryDomain } } }',
    OF_OWN_PROJECT,
  ],
  [
    'setRedirect from a domain that is not there',
    'mutation ($projectId: ID!) { setRedirect(input: { projectId: $projectId, from: "a.example", to: "b.example" }) { project { id } } }',
    toOwners('not_found', FORBIDDEN, 'not_found'),
  ],
  [
    'removeRedirect from a domain that is not there',
    'mutation ($projectId: ID!) { removeRedirect(input: { projectId: $projectId, from: "a.example" }) { project { id } } }',
    toOwners('not_found', FORBIDDEN, 'not_found'),
  ],
  [
    'removeDomain that is not there',
    'mutation { removeDomain(input: { id: "x" }) { domainId } }',
    toOwners('not_found', 'not_found', 'not_found'),
  ],
];

test.each(CASES)('%s', async (_name, query, expected) => {
  const answers = [];
  for (const role of ROLES) {
    // Only what the operation declares: another variable is no fault, but says nothing either.
    const variables = {
      ...(query.includes('$id:') && { id: await freshKey() }),
      ...(query.includes('$projectId:') && { projectId }),
    };
    answers.push(await said(ask(role, query, variables)));
  }
  expect(answers).toEqual(expected);
});

test('the table has every operation of the schema', async () => {
  const { __schema: schema } = await dataOf(
    ask<{ __schema: Record<'queryType' | 'mutationType', { fields: { name: string }[] }> }>(
      'server',
      '{ __schema { queryType { fields(includeDeprecated: true) { name } } mutationType { fields { name } } } }',
    ),
  );
  const operations = [...schema.queryType.fields, ...schema.mutationType.fields].map(({ name }) => name);
  const named = new Set(CASES.map(([name]) => name.split(/[ ,]/, 1)[0]));
  expect(operations.filter((name) => !named.has(name))).toEqual([]);
});

describe('an owner', () => {
  interface Keys {
    apiKeys: { edges: { node: { id: string; project: { id: string } } }[] };
  }
  test('lists the keys of its project only, whatever it filters by', async () => {
    for (const filter of [{}, { role: 'admin' }, { nameContains: '' }, { plan: 'enterprise' }]) {
      const query =
        'query ($filter: ApiKeyFilter) { apiKeys(first: 100, filter: $filter) { edges { node { id project { id } } } } }';
      const { apiKeys } = await dataOf(ask<Keys>('owner', query, { filter }));
      expect(new Set(apiKeys.edges.map(({ node }) => node.project.id))).toEqual(
        new Set('role' in filter ? [] : [projectId]),
      );
    }
  });

  test('cannot tell another project’s key from one that is not there', async () => {
    const id = await freshKey();
    const query = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }';
    const messages = [];
    for (const asked of [id, 'key_none'])
      messages.push(
        (await ask('foreign owner', query, { id: asked })).errors?.[0]?.message.replace(asked, '…'),
      );
    expect(messages[0]).toBe(messages[1]);
    expect((await gateway.services.apiKeys.get(id)).revokedAt).toBeUndefined();
  });

  test('makes a key of its project without naming it', async () => {
    const query = 'mutation { createApiKey(input: { name: "x" }) { apiKey { project { id } role } secret } }';
    const { createApiKey } = await dataOf(
      ask<{ createApiKey: { apiKey: unknown; secret: string } }>('owner', query),
    );
    expect(createApiKey.apiKey).toEqual({ project: { id: projectId }, role: 'server' });
    expect((await gateway.request('/v1/pets', { key: createApiKey.secret })).status).toBe(200);
  });

  test('cannot touch an admin key', async () => {
    const { apiKey } = await gateway.services.apiKeys.create({ name: 'x', role: 'admin' });
    for (const operation of ['revokeApiKey', 'rotateApiKey', 'updateApiKey', 'disableApiKey', 'enableApiKey'])
      expect(
        await codesOf(
          ask('owner', `mutation { ${operation}(input: { id: "${apiKey.id}" }) { apiKey { id } } }`),
        ),
      ).toEqual(['not_found']);
  });
});

describe('what no role can do', () => {
  const KEY = 'projectId: $p, name: "x"';
  test.each([
    ['a plan without its quota', 'changePlan(input: { projectId: $p, plan: enterprise }) { project { id } }'],
    [
      'a custom quota on another plan',
      'changePlan(input: { projectId: $p, plan: pro, customQuota: { requestsPerMinute: 1, requestsPerDay: 1 } }) { project { id } }',
    ],
    [
      'a quota of nothing',
      'changePlan(input: { projectId: $p, plan: enterprise, customQuota: { requestsPerMinute: 0, requestsPerDay: 1 } }) { project { id } }',
    ],
    ['a project without a name', 'createProject(input: { name: " " }) { project { id } }'],
    ['a key without a name', 'createApiKey(input: { projectId: $p, name: " " }) { secret }'],
    ['a key that has ended', `createApiKey(input: { ${KEY}, expiresAt: "2020-01-01T00:00:00Z" }) { secret }`],
    [
      'a key until a day that is none',
      `createApiKey(input: { ${KEY}, expiresAt: "2030-02-30T00:00:00Z" }) { secret }`,
    ],
    [
      'a key until a time of no zone',
      `createApiKey(input: { ${KEY}, expiresAt: "2030-02-28T00:00:00" }) { secret }`,
    ],
    ['a browser key for everywhere', `createApiKey(input: { ${KEY}, role: browser }) { secret }`],
    [
      'an origin with a path',
      `createApiKey(input: { ${KEY}, role: browser, allowedOrigins: ["https://a.example/"] }) { secret }`,
    ],
    [
      'origins of a server key',
      `createApiKey(input: { ${KEY}, allowedOrigins: ["https://a.example"] }) { secret }`,
    ],
  ])('%s: invalid_request', async (_what, mutation) => {
    const declared = mutation.includes('$p') ? '($p: ID!)' : '';
    const answer = ask('admin', `mutation ${declared} { ${mutation} }`, { p: projectId });
    expect(await said(answer)).toBe('invalid_request');
  });

  test('a key without a project', async () => {
    expect(await codesOf(ask('admin', 'mutation { createApiKey(input: { name: "x" }) { secret } }'))).toEqual(
      ['invalid_request'],
    );
  });

  test.each([
    'changePlan(input: { projectId: "none", plan: pro }) { project { id } }',
    'createApiKey(input: { projectId: "none", name: "x" }) { secret }',
    'rotateApiKey(input: { id: "none" }) { secret }',
    'revokeApiKey(input: { id: "none" }) { apiKey { id } }',
    'resetQuota(input: { apiKeyId: "none" }) { quota { windows { used } } }',
    'liftBan(input: { apiKeyId: "none" }) { quota { windows { used } } }',
  ])('what is about nothing: not_found: %s', async (mutation) => {
    expect(await codesOf(ask('admin', `mutation { ${mutation} }`))).toEqual(['not_found']);
  });

  test('rotating a revoked key: conflict', async () => {
    const id = await freshKey();
    await gateway.services.apiKeys.revoke(id);
    const query = `mutation { rotateApiKey(input: { id: "${id}" }) { secret } }`;
    expect(await codesOf(ask('admin', query))).toEqual(['conflict']);
  });
});

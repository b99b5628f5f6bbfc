import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { freezeDate, moveDateBy, releaseDate } from '../../support/fake-date.js';
import { useGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/** The filters of the audit log, and the names in it. */
interface Node {
  action: string;
  actorName: string | null;
  apiKeyName: string | null;
  projectName: string | null;
}

const gateway = useGateway();
let admin: { secret: string };
beforeAll(async () => {
  admin = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
});
afterEach(releaseDate);

const LOG = `query ($projectId: ID, $filter: AuditLogFilter) {
  auditLog(first: 100, projectId: $projectId, filter: $filter) {
    edges { node { action actorName apiKeyName projectName } }
  }
}`;
const ask = (secret: string, variables: Record<string, unknown>) =>
  askGraphQL<{ auditLog: { edges: { node: Node }[] } }>(gateway, secret, LOG, variables);
const records = async (secret: string, variables: Record<string, unknown>): Promise<Node[]> =>
  (await dataOf(ask(secret, variables))).auditLog.edges.map(({ node }) => node);
const actions = async (secret: string, variables: Record<string, unknown>) =>
  (await records(secret, variables)).map(({ action }) => action);
const run = <T = Record<string, unknown>>(secret: string, mutation: string) =>
  dataOf(askGraphQL<T>(gateway, secret, `mutation { ${mutation} }`));

/** A project with an owner key, a plan that an admin changed, and a key that its owner created. */
async function history() {
  const { createProject } = await run<{ createProject: { project: { id: string } } }>(
    admin.secret,
    'createProject(input: { name: "Zoo" }) { project { id } }',
  );
  const projectId = createProject.project.id;
  const { secret } = await gateway.services.apiKeys.create({ name: 'Office', role: 'owner', projectId });
  await run(admin.secret, `changePlan(input: { projectId: "${projectId}", plan: pro }) { project { id } }`);
  const { createApiKey } = await run<{ createApiKey: { apiKey: { id: string } } }>(
    secret,
    `createApiKey(input: { projectId: "${projectId}", name: "Till" }) { apiKey { id } }`,
  );
  return { projectId, owner: secret, keyId: createApiKey.apiKey.id };
}

test('by action and by the role of the actor', async () => {
  const { projectId, owner } = await history();
  const filtered = (filter: object) => actions(owner, { projectId, filter });
  expect(await filtered({})).toEqual(['apiKey.create', 'project.changePlan', 'project.create']);
  expect(await filtered({ action: 'project.changePlan' })).toEqual(['project.changePlan']);
  expect(await filtered({ actorRole: 'owner' })).toEqual(['apiKey.create']);
  expect(await filtered({ actorRole: 'admin' })).toEqual(['project.changePlan', 'project.create']);
  expect(await filtered({ actorRole: 'command line' })).toEqual([]);
  expect(await filtered({ actorRole: 'owner', action: 'project.create' })).toEqual([]);
});

test('by time, to the millisecond: from is included, to is not', async () => {
  freezeDate();
  const { projectId, owner, keyId } = await history();
  const first = Date.now();
  moveDateBy(1000);
  const second = Date.now();
  await run(owner, `revokeApiKey(input: { id: "${keyId}" }) { apiKey { id } }`);
  const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const filtered = (from: number | null, to: number | null) =>
    actions(owner, {
      projectId,
      filter: { from: timeOf(from), to: timeOf(to) },
    });
  expect(await filtered(second, null)).toEqual(['apiKey.revoke']);
  expect(await filtered(second + 1, null)).toEqual([]);
  expect(await filtered(null, second)).toEqual(['apiKey.create', 'project.changePlan', 'project.create']);
  expect(await filtered(first, first + 1)).toHaveLength(3);
  expect(await filtered(0, first)).toEqual([]);
  expect(await filtered(Date.parse('9000-01-01'), null)).toEqual([]);
});

test.each([
  [{ action: 'project.paint' }, 'filter.action'],
  [{ actorRole: 'nobody' }, 'filter.actorRole'],
])('%j is a mistake that names what is allowed', async (filter, field) => {
  const { errors } = await ask(admin.secret, { filter });
  expect(errors?.[0]).toMatchObject({
    message: expect.stringContaining(`${field}: must be one of `) as string,
    extensions: { code: 'invalid_request' },
  });
});

test('names keys and projects, also after the project was deleted', async () => {
  const { projectId, owner, keyId } = await history();
  await run(owner, `updateApiKey(input: { id: "${keyId}", name: "Front desk" }) { apiKey { id } }`);
  const named = { actorName: 'Office', apiKeyName: 'Front desk', projectName: 'Zoo' };
  const [update, create] = await records(owner, { projectId });
  expect(update).toEqual({ action: 'apiKey.update', ...named });
  // By the name of today.
  expect(create).toEqual({ action: 'apiKey.create', ...named });

  await run(admin.secret, `deleteProject(input: { projectId: "${projectId}", name: "Zoo" }) { projectId }`);
  await until('the key to be gone', async () => {
    await gateway.services.removals.removeDue();
    return (await gateway.services.apiKeysStore.get(keyId)) === undefined;
  });
  const log = await records(admin.secret, { projectId });
  expect(log[0]).toEqual({
    action: 'project.delete',
    actorName: 'Admin',
    apiKeyName: null,
    projectName: 'Zoo',
  });
  // No record names the owner's key, which was not created by an actor.
  expect(log.find(({ action }) => action === 'apiKey.update')).toMatchObject({
    apiKeyName: 'Front desk',
    projectName: 'Zoo',
  });
});

test('an owner sees no name of an admin key, and nothing of another project', async () => {
  const { projectId, owner } = await history();
  const [, plan] = await records(owner, { projectId });
  expect(plan).toMatchObject({ action: 'project.changePlan', actorName: null, projectName: 'Zoo' });
  const other = await history();
  expect(await codesOf(ask(owner, { projectId: other.projectId, filter: {} }))).toEqual(['forbidden']);
  expect(await actions(owner, { filter: { action: 'project.create' } })).toEqual(['project.create']);
});

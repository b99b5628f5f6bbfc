import type { Connection } from 'mongoose';
import { LEASE_MS, SETTLED_MS } from '../../../src/features/administration/removals.js';
import { siteDomainOf } from '../../../src/features/publishing/domains/site-domain.js';
import { createMongoProjectRemovals } from '../../../src/features/projects/mongo-project-removals.js';
import { dashboardClient } from '../../interfaces/dashboard/client.js';
import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { AMPLE, PLATFORM_HOST, publish, startPlatform, visit } from '../../interfaces/sites/visitor.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';
import { collectionsWith } from './collections-with.js';

/** What becomes of a project that is deleted: for who uses it, on every node, and in the database. */
type Gateway = Awaited<ReturnType<typeof startPlatform>>;
let here: Gateway;
/** What it has cached would live for an hour: it has to hear of a change. */
let there: Gateway;
let raw: Connection;
let admin: string;
let aheadMs = 0;

beforeAll(async () => {
  const clock = () => Date.now() + aheadMs;
  here = await startPlatform({ clock });
  there = await startPlatform({ clock, beside: here, env: { KEY_CACHE_TTL_SECONDS: '3600' } });
  raw = await rawDatabase(here);
  ({ secret: admin } = await here.services.apiKeys.create({ name: 'Admin', role: 'admin' }));
  await until(
    'a healthy change stream',
    async () => (await there.services.readiness()).checks['keyChanges'] === 'ok',
  );
});
afterAll(async () => {
  await raw.close();
  await there.close();
  await here.close();
});

const change = () => here.services.administration({ role: 'command line' });
const remove = (id: string, name: string) =>
  askGraphQL<{ deleteProject: { projectId: string } }>(
    here,
    admin,
    'mutation ($input: DeleteProjectInput!) { deleteProject(input: $input) { projectId } }',
    { input: { projectId: id, name } },
  );

/** Both times that a removal takes. */
async function removeWhole(): Promise<void> {
  await here.services.removals.removeDue();
  aheadMs += SETTLED_MS;
  await here.services.removals.removeDue();
}

async function shop(name = 'Paws') {
  const project = await change().createProject({ name, plan: 'enterprise', customQuota: AMPLE });
  const { id: projectId, slug } = project;
  const issue = (role: 'owner' | 'server') => here.services.apiKeys.create({ name: role, role, projectId });
  return {
    project,
    projectId,
    slug,
    host: `${slug}.${PLATFORM_HOST}`,
    owner: await issue('owner'),
    server: await issue('server'),
  };
}

/** One of everything that a project can have. */
async function shopInUse(files: Record<string, string>) {
  const own = await shop();
  const { project, projectId, slug, owner, server } = own;
  await publish(here, projectId, files);
  const { store } = here.services.customerDomains ?? {};
  const domain = await change().addDomain(projectId, `shop.${slug}.example`);
  await store?.recordHolding(domain, new Date());
  await store?.insertMissing([siteDomainOf(project, PLATFORM_HOST, new Date())]);
  const { cookie } = await dashboardClient(here, { host: '127.0.0.1:3000' }).enter(owner.secret);
  const created = await here.request('/v1/pets', {
    method: 'POST',
    key: server.secret,
    headers: { 'content-type': 'application/json', 'idempotency-key': slug },
    body: JSON.stringify({ name: slug, categoryId: 1 }),
  });
  expect(created.status).toBe(201);
  expect((await there.request('/v1/pets', { key: server.secret })).status).toBe(200);
  await raw.collection('strikes').insertOne({ _id: server.apiKey.id as never, seconds: [1] });
  for (const { services } of [here, there]) await services.recorder.flush();
  return {
    ...own,
    cookie,
    pet: (await created.json()) as { id: number },
    words: [projectId, owner.apiKey.id, server.apiKey.id],
  };
}

const CSS = { 'shared.css': 'of two projects' };

test('removes everything of the project except what is permanent, and nothing of other projects', async () => {
  const other = await shop('Other');
  await publish(here, other.projectId, { 'index.html': 'other', ...CSS });
  const { projectId, host, owner, server, cookie, pet, words, project } = await shopInUse({
    'index.html': 'own',
    ...CSS,
  });
  for (const gateway of [here, there]) expect((await visit(gateway, host, '/')).text).toBe('own');
  expect(await collectionsWith(raw, words)).toEqual([
    ...[
      'apiKeys',
      'audit',
      'deploys',
      'domainHoldings',
      'domains',
      'idempotencyKeys',
      'pets',
      'projects',
      'quotas',
    ],
    ...['sessions', 'slugs', 'strikes', 'usage'],
  ]);

  expect(await dataOf(remove(projectId, project.name))).toEqual({ deleteProject: { projectId } });
  // At once here, and there when it is heard: the keys, the session, the site. A key is refused as any unknown one is.
  const isOver = async (gateway: Gateway) => {
    const answers = [
      (await gateway.request('/v1/pets', { key: server.secret })).status,
      (await askGraphQL(gateway, owner.secret, '{ quota { windows { used } } }')).http,
      (await visit(gateway, '127.0.0.1:3000', '/dashboard/session', { headers: { cookie } })).status,
      (await visit(gateway, host, '/')).status,
    ];
    return answers.join() === '401,401,401,421';
  };
  expect(await isOver(here)).toBe(true);
  await until('the other node to hear of it', () => isOver(there));
  expect(await dataOf(askGraphQL(here, admin, `{ project(id: "${projectId}") { id } }`))).toEqual({
    project: null,
  });

  await here.services.removals.removeDue();
  expect(await collectionsWith(raw, words)).toEqual(['audit', 'domainHoldings', 'projects', 'slugs']);
  // Requests that ended before are counted late.
  const { id: keyId } = server.apiKey;
  there.services.recorder.countRequest(
    { id: keyId, projectId },
    { interface: 'rest', source: 'free', operation: 'listPets', status: 200, cost: 1 },
    Date.now(),
  );
  await there.services.recorder.flush();
  expect(await collectionsWith(raw, words)).toContain('usage');
  aheadMs += SETTLED_MS;
  await there.services.removals.removeDue();
  expect(await collectionsWith(raw, words)).toEqual(['audit', 'domainHoldings', 'slugs']);

  expect((await here.request(`/v1/pets/${pet.id}`, { key: admin })).status).toBe(404);
  expect((await here.request('/v1/pets', { key: other.server.secret })).status).toBe(200);
  expect((await visit(here, other.host, '/shared.css')).text).toBe(CSS['shared.css']);
  const files = await raw.collection('deployFiles').find().toArray();
  expect(files.map(({ bytes }) => String((bytes as { buffer: Buffer }).buffer)).sort()).toEqual([
    'of two projects',
    'other',
  ]);
  // The name leads to nobody else.
  expect((await shop()).slug).not.toBe(project.slug);
});

test('the audit log keeps the deletion, which admins read by the id of the project', async () => {
  const { projectId, slug } = await shop('To be remembered');
  await dataOf(remove(projectId, 'To be remembered'));
  await removeWhole();
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: unknown }[] } }>(
      here,
      admin,
      '{ auditLog(projectId: "' +
        projectId +
        '", first: 1) { edges { node { action actorRole project { id } changes { property before after } } } } }',
    ),
  );
  expect(auditLog.edges).toEqual([
    {
      node: {
        action: 'project.delete',
        actorRole: 'admin',
        project: null,
        changes: [
          { property: 'name', before: 'To be remembered', after: null },
          { property: 'plan', before: 'enterprise', after: null },
          { property: 'requestsPerMinute', before: '100000', after: null },
          { property: 'requestsPerDay', before: '1000000', after: null },
          { property: 'siteAnimals', before: 'own', after: null },
          { property: 'slug', before: slug, after: null },
        ],
      },
    },
  ]);
});

test('a wrong name deletes nothing; a project is deleted once, however many admins ask', async () => {
  const { projectId, server } = await shop('Twice');
  expect(await codesOf(remove(projectId, 'twice'))).toEqual(['invalid_request']);
  expect((await here.request('/v1/pets', { key: server.secret })).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 5 }, () => codesOf(remove(projectId, 'Twice'))));
  expect(answers.flat()).toEqual(Array(4).fill('not_found'));
  expect(await codesOf(remove(projectId, 'Twice'))).toEqual(['not_found']);
  expect(await raw.collection('audit').countDocuments({ projectId, action: 'project.delete' })).toBe(1);
});

test('work in progress during the deletion fails, or is removed too', async () => {
  for (let round = 0; round < 4; round++) {
    const { projectId } = await shop('Busy');
    const first = await publish(here, projectId, { 'index.html': 'first' });
    const underWay = [
      () => change().createApiKey({ name: 'late', projectId }),
      () => publish(here, projectId, { 'index.html': `late ${round}` }),
      () => change().createDeploy({ projectId, template: 'storefront' }),
      () => change().addDomain(projectId, `late-${round}.${projectId.toLowerCase().slice(5)}.example`),
      () => change().changePlan(projectId, 'pro'),
      () => change().rollbackDeploy(projectId, first.id),
    ];
    const results = await Promise.allSettled([
      ...underWay.slice(0, 3).map((run) => run()),
      remove(projectId, 'Busy').then(() => there.services.removals.removeDue()),
      ...underWay.slice(3).map((run) => run()),
    ]);
    for (const result of results)
      if (result.status === 'rejected')
        expect((result.reason as { code: string }).code).toMatch(
          /^(not_found|conflict|service_unavailable)$/,
        );
    // On a busy machine, a deletion that goes on colliding with other changes is a 503, and must be repeated.
    await until('the deletion', async () => {
      const codes = await codesOf(remove(projectId, 'Busy'));
      expect(codes.filter((code) => code !== 'service_unavailable' && code !== 'not_found')).toEqual([]);
      return !codes.includes('service_unavailable');
    });
    // From here on each is refused as for a project that never was.
    for (const run of underWay) await expect(run()).rejects.toMatchObject({ code: 'not_found' });
    await removeWhole();
    expect(await collectionsWith(raw, [projectId])).toEqual(['audit', 'slugs']);
  }
});

test('another process continues a removal whose process died, when its lease has ended', async () => {
  await removeWhole();
  const { projectId, owner } = await shop('Interrupted');
  await dataOf(remove(projectId, 'Interrupted'));
  const died = createMongoProjectRemovals(raw);
  expect(await died.claim(new Date(Date.now() + aheadMs), LEASE_MS)).toMatchObject({ projectId });
  await there.services.removals.removeDue();
  expect(await collectionsWith(raw, [owner.apiKey.id])).toContain('apiKeys');
  aheadMs += LEASE_MS;
  await there.services.removals.removeDue();
  expect(await collectionsWith(raw, [owner.apiKey.id])).toEqual([]);
});

test('a running gateway also removes what another process deleted', async () => {
  const { projectId, owner } = await shop('By the job');
  there.services.removals.startJob();
  await there.services.administration({ role: 'command line' }).deleteProject(projectId, 'By the job');
  await until(
    'its keys to be gone',
    async () => (await collectionsWith(raw, [owner.apiKey.id])).length === 0,
  );
});

test.each(['delete', 'handOver', undefined])('its animals, with pets: %s', async (pets) => {
  const { project, projectId, server } = await shop('Shelter');
  const { petsStore } = here.services;
  const names = Array.from({ length: 501 }, (_, i) => `Pet ${i}`);
  const made = await petsStore.insertMany(
    names.map((name) => ({ name, categoryId: 1n, status: 'available' as const })),
    projectId,
  );
  const foreign = await here.services.pets.create(
    { name: 'Rex', categoryId: 1n, status: 'sold' },
    'proj_other',
  );
  expect(server.apiKey.projectId).toBe(projectId);
  await dataOf(
    askGraphQL(
      here,
      admin,
      'mutation ($input: DeleteProjectInput!) { deleteProject(input: $input) { projectId } }',
      { input: { projectId, name: project.name, ...(pets !== undefined && { pets }) } },
    ),
  );
  await removeWhole();
  const left = await petsStore.getMany(made.map(({ id }) => id));
  expect(left).toEqual(
    made.map((pet) => (pets === 'handOver' ? { ...pet, projectId: undefined } : undefined)),
  );
  expect(await petsStore.get(foreign.id)).toEqual(foreign);
});

test('an admin removes all animals of a project in one step; an owner cannot', async () => {
  const { projectId, owner } = await shop('Spam');
  const newPet = { name: 'Spam', categoryId: 1n, status: 'available' as const };
  await here.services.petsStore.insertMany(
    Array.from({ length: 501 }, () => newPet),
    projectId,
  );
  const all = (key: string, id = projectId) =>
    askGraphQL(
      here,
      key,
      'mutation ($id: ID!) { deleteProjectPets(input: { projectId: $id }) { deletedCount } }',
      {
        id,
      },
    );
  expect(await codesOf(all(owner.secret))).toEqual(['forbidden']);
  expect(await codesOf(all(admin, 'proj_unknown'))).toEqual(['not_found']);
  expect(await dataOf(all(admin))).toEqual({ deleteProjectPets: { deletedCount: 501 } });
  expect(await dataOf(all(admin))).toEqual({ deleteProjectPets: { deletedCount: 0 } });
  const { records } = await here.services.audit.list({ first: 1, target: { projectId } });
  expect(records).toMatchObject([
    { action: 'pet.deleteAll', actor: { role: 'admin' }, target: { projectId } },
  ]);
});

import type { Connection, mongo } from 'mongoose';
import { createMongoStrikesStore } from '../../src/features/quotas/mongo-strikes-store.js';
import { askGraphQL, dataOf } from '../interfaces/graphql/client.js';
import { useGateway } from '../support/gateway.js';
import { keyUse } from '../support/key-store.js';
import { rawDatabase } from '../support/raw-database.js';
import { AMPLE } from '../support/rest-client.js';

const gateway = useGateway();
let raw: Connection;
let database: mongo.Db;
let admin: string;
let server: { id: string; secret: string; projectId: string };

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  database = raw.getClient().db(raw.name);
  const { apiKeys, projects, petsStore } = gateway.services;
  const statuses = ['available', 'pending', 'sold'] as const;
  await petsStore.insertMany(
    Array.from({ length: 300 }, (_, i) => ({
      name: `Pet ${i}`,
      categoryId: 1n,
      status: statuses[i % 3] ?? 'sold',
    })),
  );
  ({ secret: admin } = await apiKeys.create({ name: 'Admin', role: 'admin' }));
  for (let i = 0; i < 20; i++) {
    const project = await projects.create({ name: `Project ${i}`, plan: 'enterprise', customQuota: AMPLE });
    const { apiKey, secret } = await apiKeys.create({ name: `Key ${i}`, projectId: project.id });
    server = { id: apiKey.id, secret, projectId: project.id };
  }
  await database.command({ profile: 2 });
});
afterAll(async () => {
  await database.command({ profile: 0 });
  await raw.close();
});

/** What MongoDB did for a command, as its profiler tells. */
async function profiled(run: () => Promise<unknown>): Promise<mongo.Document[]> {
  const from = new Date();
  await run();
  return (
    database
      .collection('system.profile')
      // Each process reads `changes` from its end, in the order of its capped collection: no index serves that.
      .find({
        ts: { $gte: from },
        ns: { $not: /(?:system\.profile|\.changes)$/ },
        planSummary: { $exists: true },
      })
      .project({ _id: 0, ns: 1, op: 1, command: 1, planSummary: 1, hasSortStage: 1, docsExamined: 1 })
      .toArray()
  );
}

function expectIndexed(seen: readonly mongo.Document[]): void {
  expect(seen).not.toEqual([]);
  const bad = seen.filter(
    ({ planSummary, hasSortStage }) => hasSortStage === true || String(planSummary).includes('COLLSCAN'),
  );
  expect(bad).toEqual([]);
}

const rest = async (path: string, init: { method?: string; body?: string } = {}) => {
  const headers = init.body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await gateway.request(path, { key: server.secret, headers, ...init });
  expect(answer.status).toBeLessThan(300);
  return answer;
};
const graphQL = <T = unknown>(query: string): Promise<T> => dataOf<T>(askGraphQL<T>(gateway, admin, query));
const cursorAfter = async (list: string): Promise<string> => {
  const data = await graphQL<Record<string, { pageInfo: { endCursor: string } }>>(
    `{ ${list} { pageInfo { endCursor } } }`,
  );
  return Object.values(data)[0]?.pageInfo.endCursor ?? '';
};

describe('no collection is scanned and nothing is sorted in memory for', () => {
  test.each([
    ['the first page', '/v1/pets'],
    ['the pets of a status', '/v1/pets?status=pending&limit=50'],
    ['a later page', `/v1/pets?limit=7&after=${Buffer.from('pet:200').toString('base64url')}`],
    [
      'a later page of a status',
      `/v1/pets?status=sold&limit=7&after=${Buffer.from('pet:200').toString('base64url')}`,
    ],
    ['one pet', '/v1/pets/17'],
  ])('%s', async (_name, path) => {
    expectIndexed(await profiled(() => rest(path)));
  });

  test('an animal by its own number', async () => {
    const find = `petsConnection(filter: { externalId: "A-1", projectId: "${server.projectId}" }, orderBy: newest)`;
    const seen = await profiled(() => graphQL(`{ ${find} { totalCount edges { node { id } } } }`));
    expectIndexed(seen);
  });

  test('a page reads no more pets than it answers with, and one to know whether there is more', async () => {
    const seen = await profiled(() => rest('/v1/pets?status=available&limit=20'));
    expect(seen.filter(({ ns }) => String(ns).endsWith('.pets'))).toMatchObject([{ docsExamined: 21 }]);
  });

  test('a create, plain and with an Idempotency-Key', async () => {
    const body = '{"name":"Rex","categoryId":7}';
    expectIndexed(await profiled(() => rest('/v1/pets', { method: 'POST', body })));
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'plans' };
    expectIndexed(
      await profiled(() =>
        gateway.request('/v1/pets', { key: server.secret, method: 'POST', body, headers }),
      ),
    );
  });

  test('the look-up of a key, known or not', async () => {
    expectIndexed(
      await profiled(async () => {
        const { apiKey, secret } = await gateway.services.apiKeys.create({
          name: 'New',
          projectId: server.projectId,
        });
        expect((await gateway.request('/v1/pets/1', { key: secret })).status).toBe(200);
        await gateway.services.apiKeys.revoke(apiKey.id);
        expect((await gateway.request('/v1/pets/1', { key: secret })).status).toBe(401);
      }),
    );
  });

  const filters = [
    '{}',
    '{ plan: enterprise }',
    '{ role: server }',
    '{ state: active }',
    '{ banned: true }',
    '{ banned: false }',
    '{ nearLimit: true }',
    '{ usedToday: true }',
    '{ usedToday: false }',
    '{ nameContains: "ey 1" }',
    '{ plan: enterprise, role: server, state: active, nameContains: "1" }',
  ];
  test.each(
    ['createdAt', 'lastUsedAt', 'usageToday'].flatMap((order) =>
      filters.map((filter): [string, string] => [order, filter]),
    ),
  )('keys by %s where %s', async (order, filter) => {
    const list = (after: string) =>
      `apiKeys(first: 5, orderBy: ${order}, filter: ${filter}${after}) { edges { node { id } } }`;
    expectIndexed(await profiled(() => graphQL(`{ ${list('')} }`)));
    const cursor = await cursorAfter(`apiKeys(first: 5, orderBy: ${order})`);
    expectIndexed(await profiled(() => graphQL(`{ ${list(`, after: "${cursor}"`)} }`)));
  });

  test('a page of keys reads none of those before it, however many were used equally often', async () => {
    const { apiKeys, apiKeysStore } = gateway.services;
    const keys = await apiKeys.list();
    await apiKeysStore.recordUse(keys.map(({ id }) => keyUse(id, new Date(), 7)));
    const cursor = await cursorAfter(`apiKeys(first: ${keys.length - 5}, orderBy: usageToday)`);
    const seen = await profiled(() =>
      graphQL(`{ apiKeys(first: 2, orderBy: usageToday, after: "${cursor}") { edges { node { id } } } }`),
    );
    expect(seen.filter(({ ns, op }) => op === 'query' && String(ns).endsWith('.apiKeys'))).toMatchObject([
      { docsExamined: 3 },
    ]);
  });

  test.each(['', 'filter: { plan: enterprise }, ', 'filter: { nameContains: "ect 1" }, '])(
    'projects %s',
    async (filter) => {
      const page = 'edges { node { id apiKeys(first: 2) { edges { node { id quota { plan { id } } } } } } }';
      expectIndexed(await profiled(() => graphQL(`{ projects(${filter}first: 5) { ${page} } }`)));
      const cursor = await cursorAfter('projects(first: 5)');
      expectIndexed(
        await profiled(() => graphQL(`{ projects(${filter}first: 5, after: "${cursor}") { ${page} } }`)),
      );
    },
  );

  test.each(['', 'project', 'key', 'actor', 'action', 'actorRole', 'time', 'action of a project'])(
    'the audit log %s',
    async (scope) => {
      const { id, projectId } = server;
      await graphQL(
        `mutation { resetQuota(input: { apiKeyId: "${id}", window: day }) { quota { plan { id } } } }`,
      );
      const filters = {
        project: `projectId: "${projectId}"`,
        key: `apiKeyId: "${id}"`,
        actor: `actorKeyId: "${id}"`,
        action: 'filter: { action: "quota.reset" }',
        actorRole: 'filter: { actorRole: "admin" }',
        time: `filter: { from: "${new Date(Date.now() - 60_000).toISOString()}", to: "${new Date(Date.now() + 60_000).toISOString()}" }`,
        'action of a project': `projectId: "${projectId}", filter: { action: "quota.reset" }`,
      };
      const of = scope === '' ? '' : `, ${filters[scope as keyof typeof filters]}`;
      expectIndexed(await profiled(() => graphQL(`{ auditLog(first: 5${of}) { edges { node { id } } } }`)));
    },
  );

  test('the audit log of a system user', async () => {
    const { administration, audit } = gateway.services;
    for (const systemUser of ['alice@web-1', 'bob@web-1'])
      await administration({ role: 'command line', systemUser }).createProject({ name: 'p', plan: 'free' });
    const page = { first: 5, target: {}, actorSystemUser: 'alice@web-1' };
    const seen = await profiled(() => audit.list(page));
    expectIndexed(seen);
    expect(seen).toMatchObject([{ docsExamined: 1 }]);
  });

  test('every change that an admin makes', async () => {
    const { projectId } = server;
    const seen = await profiled(async () => {
      const made = await graphQL<{ createApiKey: { apiKey: { id: string } } }>(
        `mutation { createApiKey(input: { projectId: "${projectId}", name: "x" }) { apiKey { id } } }`,
      );
      const { id } = made.createApiKey.apiKey;
      await graphQL(`mutation {
        updateApiKey(input: { id: "${id}", name: "y" }) { apiKey { id } }
        updateProject(input: { projectId: "${projectId}", name: "y" }) { project { id } }
        rotateApiKey(input: { id: "${id}", overlapSeconds: 60 }) { apiKey { id } }
        liftBan(input: { apiKeyId: "${id}" }) { quota { plan { id } } }
        resetQuota(input: { apiKeyId: "${id}" }) { quota { plan { id } } }
        revokeApiKey(input: { id: "${id}" }) { apiKey { id } }
        changePlan(input: { projectId: "${projectId}", plan: pro }) { project { id } }
        createProject(input: { name: "p" }) { project { id } }
      }`);
    });
    expectIndexed(seen);
  });

  test('a deploy, the list of them, the way back, and what visitors need', async () => {
    const { deploys, deploysStore, projects, administration } = gateway.services;
    const { projectId } = server;
    const change = administration({ role: 'command line' });
    const seen = await profiled(async () => {
      const site = (text: string) => [
        { path: 'index.html', bytes: Buffer.from(text) },
        { path: 'copied.txt', bytes: Buffer.from('the same in each deploy') },
      ];
      const first = await change.deploySite({ projectId }, site('one'));
      for (let i = 0; i < 11; i++) await change.deploySite({ projectId }, site(`later ${i}`));
      const second = await change.deploySite({ projectId }, site('two'));
      expect(second.number).toBe(first.number + 12);
      const [, earlier] = (await deploys.page(projectId, 2, undefined)).deploys;
      await change.rollbackDeploy(projectId, earlier?.id ?? '');
      await deploys.storeFiles({ id: 'dep_discarded', projectId }, site('discarded'));
      await deploys.discardFiles('dep_discarded');
      const live = await deploysStore.liveSite(projectId);
      await deploysStore.blob(live?.deployId ?? '', live?.files[0]?.sha256 ?? '');
      await projects.getBySlug((await projects.get(projectId)).slug);
    });
    expectIndexed(seen);
  });

  test.each(['key', 'project'])('usage of a %s, written and read', async (whose) => {
    const { id, projectId } = server;
    const usage = '{ usage { requests bans underPlan(plan: free) { over } }';
    const of = {
      key: `apiKey(id: "${id}") ${usage} refusals { at } }`,
      project: `project(id: "${projectId}") ${usage} refusals { at } }`,
    };
    const seen = await profiled(async () => {
      await rest('/v1/pets');
      await gateway.services.recorder.flush();
      await graphQL(`{ ${of[whose as keyof typeof of]} }`);
    });
    expectIndexed(seen);
  });

  test.each(['minute', 'hour', 'day'])('traffic by %s, written and read', async (period) => {
    const seen = await profiled(async () => {
      await rest('/v1/pets');
      await gateway.services.recorder.flush();
      await graphQL(`{ traffic(by: ${period}, last: 100) { requests periods { requests } } }`);
    });
    expectIndexed(seen);
  });

  test('a ban, the strikes before it, and what is written of uses', async () => {
    const { apiKeys, apiKeysStore, recorder } = gateway.services;
    const { apiKey: banned } = await apiKeys.create({ name: 'Banned', projectId: server.projectId });
    const ban = { loopSeconds: 24, strikes: 10, strikeWindowSeconds: 300, banSeconds: 1, maxBanSeconds: 1 };
    const strikes = createMongoStrikesStore(raw, ban);
    const seen = await profiled(async () => {
      await strikes.add(banned.id, Math.floor(Date.now() / 1000));
      await apiKeysStore.ban(banned.id, Date.now(), ban);
      await rest('/v1/pets');
      await recorder.flush();
    });
    expectIndexed(seen);
  });
});

import { DAY_MS, utcDay } from '../../../src/lib/clock.js';
import fc from 'fast-check';
import { API_KEY_ROLES, API_KEY_STATES, stateOf, type ApiKey } from '../../../src/features/keys/api-key.js';
import {
  API_KEY_ORDERS,
  type ApiKeyOrder,
  type ApiKeysFilter,
} from '../../../src/features/keys/api-keys-store.js';
import { API_KEYS_COLLECTION } from '../../../src/features/keys/mongo-api-key-document.js';
import { PLAN_IDS, type PlanId } from '../../../src/features/plans/plans.js';
import { expectIndexes, singleFilters } from '../../contract/key-list-plans.js';
import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { keyUse } from '../../support/key-store.js';
import { rawDatabase } from '../../support/raw-database.js';

interface KeyNode {
  id: string;
  usageToday: number;
  lastUsedAt: string | null;
}
interface KeyPage {
  edges: { node: KeyNode; cursor: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
}

let raw: Awaited<ReturnType<typeof rawDatabase>>;
let admin: string;
/** Its uses are written beside requests, so it may change its place while a list is read page by page. */
let adminId: string;
/** Every key but the admin's, with what the lists filter by. */
let keys: { key: ApiKey; plan: PlanId | undefined; banned: boolean; nearLimit: boolean; rejected: boolean }[];
let projectIds: string[];

const NOW = Date.now();
/** Goes on while keys are made, for some of them: others tie. */
let nowMs = NOW - 1000;

const gateway = useGateway({ clock: () => nowMs });
beforeAll(async () => {
  raw = await rawDatabase(gateway);
  const { apiKeysStore, projects, apiKeys } = gateway.services;
  const { secret, apiKey: adminKey } = await apiKeys.create({ name: 'Admin', role: 'admin' });
  [admin, adminId] = [secret, adminKey.id];
  await apiKeys.create({ name: 'Unused admin', role: 'admin' });
  projectIds = [];
  for (const plan of PLAN_IDS) {
    nowMs += 1;
    projectIds.push(
      (
        await projects.create({
          name: `On ${plan}`,
          // More keys than the smaller plans include: the project changes to its plan once it has them.
          plan: 'enterprise',
          customQuota: { requestsPerMinute: 10, requestsPerDay: 100 },
        })
      ).id,
    );
  }
  const made: { apiKey: ApiKey; i: number }[] = [];
  for (let i = 0; i < 60; i++) {
    nowMs += i % 2;
    const role = (['server', 'owner', 'browser'] as const)[i % 3] ?? 'server';
    const { apiKey } = await apiKeys.create({
      name: `Key (${i}) Zoo`,
      role,
      projectId: projectIds[i % projectIds.length],
      ...(role === 'browser' && { allowedOrigins: ['https://shop.example'] }),
    });
    made.push({ apiKey, i });
  }
  for (const [i, plan] of PLAN_IDS.entries())
    if (plan !== 'enterprise') await projects.changePlan(projectIds[i] ?? '', plan);
  nowMs = NOW;
  const policy = { strikes: 1, strikeWindowSeconds: 1, banSeconds: 600, maxBanSeconds: 600 };
  for (const { apiKey, i } of made) {
    if (i % 5 === 0) await apiKeysStore.ban(apiKey.id, NOW, policy);
    // Long over: in the index of who was ever banned, and banned no more.
    if (i % 5 === 1) await apiKeysStore.ban(apiKey.id, NOW - DAY_MS, policy);
    if (i % 4 === 0) await apiKeys.disable(apiKey.id);
    if (i % 7 === 0) await apiKeys.revoke(apiKey.id);
    if (i % 7 === 1)
      await raw
        .collection(API_KEYS_COLLECTION)
        .updateOne({ _id: apiKey.id as never }, { $set: { expiresAt: new Date(NOW - (i % 2)) } });
  }
  // A third was never used; the rest in pairs that tie.
  await apiKeysStore.recordUse(
    made
      .filter(({ i }) => i % 3 !== 0)
      .map(({ apiKey, i }) => {
        const used = i % 3 === 1 ? 10 * Math.floor(i / 10) : undefined;
        const lastUsedAt = new Date(NOW - 1000 * Math.floor(i / 6));
        // Some were rejected the day before.
        const rejectedDay = i % 4 === 3 ? undefined : utcDay(i % 4 === 2 ? NOW - DAY_MS : NOW);
        return { ...keyUse(apiKey.id, new Date(NOW), used, i % 2 === 0), lastUsedAt, rejectedDay };
      }),
  );
  const rejected = new Set(made.filter(({ i }) => i % 3 !== 0 && i % 4 < 2).map(({ apiKey }) => apiKey.id));
  const plans = new Map(projectIds.map((id, i) => [id, PLAN_IDS[i]]));
  const nearLimit = new Set(
    made.filter(({ i }) => i % 3 === 1 && i % 2 === 0).map(({ apiKey }) => apiKey.id),
  );
  keys = (await apiKeys.list())
    .filter(({ id }) => id !== adminId)
    .map((key) => ({
      key,
      plan: key.projectId === undefined ? undefined : plans.get(key.projectId),
      banned: key.ban !== undefined && key.ban.until.getTime() > NOW,
      nearLimit: nearLimit.has(key.id),
      rejected: rejected.has(key.id),
    }));
});
afterAll(() => raw.close());

const QUERY = `query ($first: Int, $after: String, $filter: ApiKeyFilter, $orderBy: ApiKeyOrder) {
  apiKeys(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { id usageToday lastUsedAt } }
    pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;
const pageOf = async (variables: Record<string, unknown>) =>
  (await dataOf(askGraphQL<{ apiKeys: KeyPage }>(gateway, admin, QUERY, variables))).apiKeys;

async function all(filter: ApiKeysFilter, orderBy: ApiKeyOrder, first: number): Promise<KeyNode[]> {
  const nodes: KeyNode[] = [];
  let after: string | null = null;
  for (;;) {
    const page: KeyPage = await pageOf({ filter, orderBy, first, after });
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
    expect(page.edges.length).toBeLessThanOrEqual(first);
    nodes.push(...page.edges.map(({ node }) => node).filter(({ id }) => id !== adminId));
    if (!page.pageInfo.hasNextPage) return nodes;
    expect(page.pageInfo.endCursor).toBe(page.edges.at(-1)?.cursor);
    after = page.pageInfo.endCursor;
  }
}

/** What the list has to be, by the simplest means. */
function expected(filter: ApiKeysFilter): string[] {
  return keys
    .filter(
      ({ key, plan, banned, nearLimit, rejected }) =>
        (filter.projectId === undefined || key.projectId === filter.projectId) &&
        (filter.plan === undefined || plan === filter.plan) &&
        (filter.role === undefined || key.role === filter.role) &&
        (filter.state === undefined || stateOf(key, NOW) === filter.state) &&
        (filter.banned === undefined || banned === filter.banned) &&
        (filter.nearLimit === undefined || nearLimit === filter.nearLimit) &&
        (filter.rejectedToday === undefined || rejected === filter.rejectedToday) &&
        (filter.usedToday === undefined || key.usageToday > 0 === filter.usedToday) &&
        (filter.nameContains === undefined ||
          key.name.toLowerCase().includes(filter.nameContains.toLowerCase())),
    )
    .map(({ key }) => key.id)
    .sort();
}

const anyFilter = (): fc.Arbitrary<ApiKeysFilter> =>
  fc.record(
    {
      projectId: fc.constantFrom(...projectIds, 'proj_none'),
      plan: fc.constantFrom(...PLAN_IDS),
      role: fc.constantFrom(...API_KEY_ROLES),
      state: fc.constantFrom(...API_KEY_STATES),
      banned: fc.boolean(),
      nearLimit: fc.boolean(),
      rejectedToday: fc.boolean(),
      usedToday: fc.boolean(),
      nameContains: fc.constantFrom('', 'zoo', 'KEY (1', '.*', '$', '\\', '[', '5) Z'),
    },
    { requiredKeys: [] },
  );

/** Each filter by itself: what a property over combinations may miss. */
const SINGLE = () => singleFilters(projectIds);

describe.each(API_KEY_ORDERS)('by %s', (orderBy) => {
  test('each filter alone gives exactly its keys, page by page to the end', async () => {
    for (const filter of SINGLE()) {
      const ids = (await all(filter, orderBy, 7)).map(({ id }) => id);
      expect([...ids].sort()).toEqual(expected(filter));
    }
  });

  test('any filters together give exactly the keys that pass all of them, in the order of the whole list', async () => {
    const whole = (await all({}, orderBy, 100)).map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(anyFilter(), fc.integer({ min: 1, max: 20 }), async (filter, first) => {
        const ids = (await all(filter, orderBy, first)).map(({ id }) => id);
        expect([...ids].sort()).toEqual(expected(filter));
        expect(ids).toEqual(whole.filter((id) => ids.includes(id)));
      }),
      { numRuns: 25 },
    );
  });

  // For any two filters together: test/thorough/key-list-plans.
  test('uses an index for every filter and cursor, without sorting', async () => {
    const { edges } = await pageOf({ first: 100, orderBy });
    await expectIndexes(raw, orderBy, [edges[3]?.cursor, edges.at(-1)?.cursor], SINGLE());
  });
});

test('createdAt is oldest first; lastUsedAt and usageToday are most first, the never used last', async () => {
  const created = (await all({}, 'createdAt', 100)).map(({ id }) => id);
  expect(created).toEqual(
    [...keys]
      .sort((a, b) => a.key.createdAt.getTime() - b.key.createdAt.getTime() || (a.key.id < b.key.id ? -1 : 1))
      .map(({ key }) => key.id),
  );
  const used = (await all({}, 'lastUsedAt', 100)).map(({ lastUsedAt }) => lastUsedAt);
  expect(used).toEqual([...used].sort((a, b) => (a === null ? 1 : b === null ? -1 : b.localeCompare(a))));
  expect(used.at(-1)).toBeNull();
  const usage = (await all({}, 'usageToday', 100)).map(({ usageToday }) => usageToday);
  expect(usage).toEqual([...usage].sort((a, b) => b - a));
});

describe('invalid lists', () => {
  const encode = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');
  test.each([
    ['first 0', { first: 0 }],
    ['first 101', { first: 101 }],
    ['an invented cursor', { after: 'x' }],
    ['a cursor of another order', { after: encode(['createdAt', 1, 'key_x']), orderBy: 'lastUsedAt' }],
    ['a cursor whose date is none', { after: encode(['createdAt', 1e20, 'key_x']) }],
    ['a cursor whose id is none', { after: encode(['createdAt', 1, null]) }],
    ['a name with a NUL', { filter: { nameContains: '\0' } }],
    ['a name longer than any', { filter: { nameContains: 'x'.repeat(101) } }],
  ])('%s: invalid_request', async (_what, variables) => {
    expect(await codesOf(askGraphQL(gateway, admin, QUERY, variables))).toEqual(['invalid_request']);
  });

  test('an explicit null means the default', async () => {
    const nulls = await pageOf({ first: null, after: null, filter: null, orderBy: null });
    const cursors = ({ edges }: KeyPage) => edges.map(({ cursor }) => cursor);
    expect(cursors(nulls)).toEqual(cursors(await pageOf({})));
    expect(nulls.edges).toHaveLength(20);
  });
});

describe('projects', () => {
  const PROJECTS = `query ($first: Int, $after: String, $filter: ProjectFilter) {
    projects(first: $first, after: $after, filter: $filter) {
      edges { cursor node { id plan { id } } } pageInfo { hasNextPage endCursor }
    }
  }`;
  interface ProjectPage {
    projects: {
      edges: { node: { id: string } }[];
      pageInfo: { hasNextPage: boolean; endCursor: string | null };
    };
  }

  test.each<[string, object, readonly PlanId[]]>([
    ['all', {}, PLAN_IDS],
    ['of a plan', { plan: 'pro' }, ['pro']],
    ['with a part of the name, in any case', { nameContains: 'ON BUS' }, ['business']],
    ['of a plan with a part of the name', { plan: 'pro', nameContains: 'bus' }, []],
    ['with what means something to a regular expression', { nameContains: 'On .' }, []],
  ])('%s, page by page', async (_what, filter, expectedPlans) => {
    const ids: string[] = [];
    let after: string | null = null;
    for (;;) {
      const { projects }: ProjectPage = await dataOf(
        askGraphQL<ProjectPage>(gateway, admin, PROJECTS, { first: 1, after, filter }),
      );
      ids.push(...projects.edges.map(({ node }) => node.id));
      if (!projects.pageInfo.hasNextPage) break;
      after = projects.pageInfo.endCursor;
    }
    expect(ids).toEqual(expectedPlans.map((plan) => projectIds[PLAN_IDS.indexOf(plan)]));
  });

  test.each([['x'], [encode(['x', 'y'])], [encode([1e20, 'y'])]])(
    'after the cursor %s: invalid_request',
    async (after) =>
      expect(await codesOf(askGraphQL(gateway, admin, PROJECTS, { after }))).toEqual(['invalid_request']),
  );

  function encode(place: unknown): string {
    return Buffer.from(JSON.stringify(place)).toString('base64url');
  }
});

test('a page of keys with quotas and projects costs the store three reads beside the page', async () => {
  await pageOf({});
  const db = raw.db;
  await db?.command({ profile: 2 });
  try {
    const query =
      '{ apiKeys(first: 100) { edges { node { id quota { plan { id } windows { used } } project { name } } } } }';
    const { apiKeys } = await dataOf(
      askGraphQL<{ apiKeys: { edges: { node: { quota: { windows: unknown[] } } }[] } }>(
        gateway,
        admin,
        query,
      ),
    );
    expect(apiKeys.edges).toHaveLength(62);
  } finally {
    await db?.command({ profile: 0 });
  }
  const reads = await db
    ?.collection('system.profile')
    .find({ op: 'query', ns: { $not: /system\.profile/ } })
    .toArray();
  expect(reads?.map(({ ns }) => String(ns).split('.').at(-1)).sort()).toEqual([
    'apiKeys',
    // The uses that wait for the keys of the page.
    'keyUses',
    'projects',
    // Those of the caller, before its document is parsed, and those of the page.
    'quotas',
    'quotas',
  ]);
});

test('looking at a quota consumes nothing of it', async () => {
  // Of a gateway of its own: the lists of this one are known to the last key.
  const other = await startGateway();
  const { secret, apiKey } = await other.keyOn('free');
  const { secret: otherAdmin } = await other.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  await other.request('/v1/pets', { key: secret });
  const query =
    'query ($id: ID!) { apiKey(id: $id) { quota { windows { name used remaining } ban { until } } } }';
  const looks = [];
  for (let i = 0; i < 3; i++)
    looks.push(await dataOf(askGraphQL(other, otherAdmin, query, { id: apiKey.id })));
  await other.close();
  expect(looks[2]).toEqual(looks[0]);
  expect(looks[0]).toMatchObject({
    apiKey: { quota: { windows: [{ name: 'minute', used: 1, remaining: 59 }, { used: 1 }], ban: null } },
  });
});

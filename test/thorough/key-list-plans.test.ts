import { API_KEY_ORDERS, type ApiKeysFilter } from '../../src/features/keys/api-keys-store.js';
import { expectIndexes, singleFilters } from '../contract/key-list-plans.js';
import { askGraphQL, dataOf } from '../interfaces/graphql/client.js';
import { useGateway } from '../support/gateway.js';
import { keyUse } from '../support/key-store.js';
import { rawDatabase } from '../support/raw-database.js';

const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;
let admin: string;
let projectId: string;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  const { apiKeysStore, apiKeys, projects } = gateway.services;
  ({ secret: admin } = await apiKeys.create({ name: 'Admin', role: 'admin' }));
  ({ id: projectId } = await projects.create({ name: 'Shop', plan: 'pro' }));
  const made = [];
  for (let i = 0; i < 10; i++) made.push(await apiKeys.create({ name: `Key ${i}`, projectId }));
  // Others were never used: a list by use goes on after both.
  await apiKeysStore.recordUse(
    made
      .slice(0, 6)
      .map(({ apiKey }, i) => keyUse(apiKey.id, new Date(Date.now() - 1000 * i), 10 * i, i % 2 === 0)),
  );
});
afterAll(() => raw.close());

/** Each filter, and each with each other one, once. */
function oneOrTwo(): ApiKeysFilter[] {
  const single = singleFilters([projectId]);
  const pairs = single.flatMap((a) => single.map((b): ApiKeysFilter => ({ ...a, ...b })));
  return [...new Map(pairs.map((pair) => [JSON.stringify(Object.entries(pair).sort()), pair])).values()];
}

test.each(API_KEY_ORDERS)('by %s, any two filters of keys use an index, without sorting', async (orderBy) => {
  const { apiKeys } = await dataOf(
    askGraphQL<{ apiKeys: { edges: { cursor: string }[] } }>(
      gateway,
      admin,
      'query ($orderBy: ApiKeyOrder) { apiKeys(orderBy: $orderBy) { edges { cursor } } }',
      { orderBy },
    ),
  );
  const { edges } = apiKeys;
  await expectIndexes(raw, orderBy, [edges[3]?.cursor, edges.at(-1)?.cursor], oneOrTwo());
});

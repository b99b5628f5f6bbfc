import 'reflect-metadata';
import type { ApiKeysQuery, ApiKeysPage } from '../../../../../src/features/keys/api-keys-store.js';
import { apiKeyPage } from '../../../../../src/interfaces/graphql/schema/keys/api-key-page.js';
import { faultOf } from '../../../../support/fault-of.js';
import { adminKey } from '../../../../support/admin-key.js';
import { openKeyStore, type TestKeyStore } from '../../../../support/key-store.js';

const NOW = Date.parse('2029-06-15T12:00:00.000Z');
const clock = () => NOW;

let opened: TestKeyStore;
/** What the store was asked for. */
let query: Omit<ApiKeysQuery, 'nowMs'> | undefined;

beforeAll(async () => {
  opened = await openKeyStore(clock);
  for (let i = 0; i < 22; i++)
    await opened.store.insert({ ...adminKey().key, expiresAt: new Date(NOW) }, undefined);
});
afterAll(() => opened.close());

const apiKeys = {
  page(asked: Omit<ApiKeysQuery, 'nowMs'>): Promise<ApiKeysPage> {
    query = asked;
    return opened.store.page({ ...asked, nowMs: NOW });
  },
};

const pageOf = (given: Partial<Parameters<typeof apiKeyPage>[2]> = {}) =>
  apiKeyPage({ apiKeys, clock }, (read) => read(new AbortController().signal), {
    first: null,
    after: null,
    filter: {},
    ...given,
  });

test('null means the default: 20 keys from the first on, oldest first', async () => {
  const { edges, pageInfo } = await pageOf({ orderBy: null });
  expect(query).toEqual({ first: 20, after: undefined, filter: {}, orderBy: 'createdAt' });
  expect(edges).toHaveLength(20);
  expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
});

test('what is given is asked for; a page after another has one before it', async () => {
  const { pageInfo } = await pageOf({ orderBy: 'usageToday' });
  const filter = { role: 'admin' as const };
  const after = pageInfo.endCursor ?? '';
  const last = await pageOf({ first: 5, after, filter, orderBy: 'usageToday' });
  expect(query).toEqual({ first: 5, after, filter, orderBy: 'usageToday' });
  expect(last.edges).toHaveLength(2);
  expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
});

test.each([0, 101])('a page of %d keys is refused', async (first) => {
  const error = await faultOf(() => pageOf({ first }));
  expect(error.details).toMatchObject({ fields: [{ field: 'first' }] });
});

test('a key is shown as it is now, with uses as of the last write of them, five seconds ago', async () => {
  const { edges } = await pageOf({ first: 1 });
  expect(edges[0]?.node).toMatchObject({ state: 'expired', asOf: new Date(NOW - 5000) });
});

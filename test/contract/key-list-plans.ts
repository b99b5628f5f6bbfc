import type { Connection } from 'mongoose';
import { API_KEY_ROLES, API_KEY_STATES } from '../../src/features/keys/api-key.js';
import type { ApiKeyOrder, ApiKeysFilter } from '../../src/features/keys/api-keys-store.js';
import { API_KEYS_COLLECTION } from '../../src/features/keys/mongo-api-key-document.js';
import { indexOf, sortOf } from '../../src/features/keys/mongo-api-keys-indexes.js';
import { filterOf, partsAfter } from '../../src/features/keys/mongo-api-keys-page.js';
import { PLAN_IDS } from '../../src/features/plans/plans.js';

/** No filter, and each by itself. */
export const singleFilters = (projectIds: readonly string[]): ApiKeysFilter[] => [
  {},
  ...projectIds.map((projectId) => ({ projectId })),
  ...PLAN_IDS.map((plan) => ({ plan })),
  ...API_KEY_ROLES.map((role) => ({ role })),
  ...API_KEY_STATES.map((state) => ({ state })),
  ...[true, false].flatMap((is) => [
    { banned: is },
    { nearLimit: is },
    { rejectedToday: is },
    { usedToday: is },
  ]),
  { nameContains: '(1' },
];

/** MongoDB reads each filtered list through an index, from its begin and after each of the cursors, without sorting. */
export async function expectIndexes(
  raw: Connection,
  orderBy: ApiKeyOrder,
  cursors: readonly (string | undefined)[],
  filters: readonly ApiKeysFilter[],
): Promise<void> {
  const parts = [undefined, ...cursors].flatMap((cursor) => partsAfter(cursor, orderBy));
  const stagesOf = async (filter: ApiKeysFilter, part: (typeof parts)[number]) => {
    const plan = await raw
      .collection(API_KEYS_COLLECTION)
      .find({ $and: [filterOf(filter, Date.now()), part] } as never)
      .sort(sortOf(orderBy))
      .hint(indexOf(filter, orderBy))
      .limit(21)
      .explain('queryPlanner');
    return JSON.stringify(plan['queryPlanner']).match(/"stage":"[A-Z_]+"/g) ?? [];
  };
  for (const filter of filters)
    for (const stages of await Promise.all(parts.map((part) => stagesOf(filter, part)))) {
      expect(stages).toContain('"stage":"IXSCAN"');
      expect({ filter, stages }).toMatchObject({
        stages: expect.not.arrayContaining(['"stage":"SORT"', '"stage":"COLLSCAN"']) as unknown,
      });
    }
}

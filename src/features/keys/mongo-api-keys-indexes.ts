import type { IndexOptions } from 'mongoose';
import type { ApiKeyOrder, ApiKeysFilter } from './api-keys-store.js';

type OrderField = 'createdAt' | 'lastUsedAt' | 'usageRank';
type Keys = Record<string, 1 | -1>;

export const ORDERS: Record<ApiKeyOrder, { field: OrderField; direction: 1 | -1 }> = {
  createdAt: { field: 'createdAt', direction: 1 },
  lastUsedAt: { field: 'lastUsedAt', direction: -1 },
  usageToday: { field: 'usageRank', direction: -1 },
};

export function sortOf(orderBy: ApiKeyOrder): Keys {
  const { field, direction } = ORDERS[orderBy];
  return { [field]: direction, _id: direction };
}

/**
 * The filters that narrow a list before it is read in its order: those that leave few of many keys, narrowest first.
 * Other filters apply to the keys that are read.
 */
const SCOPES = ['projectId', 'banned', 'nearLimit', 'rejectedToday', 'role', 'plan', 'all'] as const;
type Scope = (typeof SCOPES)[number];

const SCOPE_KEYS: Record<Scope, { keys: Keys; holds?: string; applies: (filter: ApiKeysFilter) => boolean }> =
  {
    projectId: { keys: { projectId: 1 }, applies: ({ projectId }) => projectId !== undefined },
    // A range cannot be an index prefix before the order. But few keys were ever banned, and the index contains no
    // others.
    banned: { keys: {}, holds: 'ban.until', applies: ({ banned }) => banned === true },
    nearLimit: {
      keys: { nearLimitDay: 1 },
      holds: 'nearLimitDay',
      applies: ({ nearLimit }) => nearLimit === true,
    },
    rejectedToday: {
      keys: { rejectedDay: 1 },
      holds: 'rejectedDay',
      applies: ({ rejectedToday }) => rejectedToday === true,
    },
    role: { keys: { role: 1 }, applies: ({ role }) => role !== undefined },
    plan: { keys: { plan: 1 }, applies: ({ plan }) => plan !== undefined },
    all: { keys: {}, applies: () => true },
  };

/** One index per scope and order, so that a page is read in its order and never sorted. */
export const PAGE_INDEXES: readonly { keys: Keys; options: IndexOptions }[] = SCOPES.flatMap((scope) =>
  (Object.keys(ORDERS) as ApiKeyOrder[]).map((order) => {
    const { keys, holds } = SCOPE_KEYS[scope];
    return {
      keys: { ...keys, ...sortOf(order) },
      options: {
        name: nameOf(scope, order),
        ...(holds !== undefined && { partialFilterExpression: { [holds]: { $exists: true } } }),
      },
    };
  }),
);

/** The name of the index that serves a list. */
export function indexOf(filter: ApiKeysFilter, orderBy: ApiKeyOrder): string {
  return nameOf(SCOPES.find((scope) => SCOPE_KEYS[scope].applies(filter)) ?? 'all', orderBy);
}

function nameOf(scope: Scope, order: ApiKeyOrder): string {
  return `page_${scope}_by_${order}`;
}

import type { ApiKeyFilter } from '../../api/schema-types.js';
import type { FilterField } from '../../shell/filter-bar.js';
import type { Filters } from '../../shell/use-filters.js';
import { ANY, choiceOf, ORDERS, PROJECT_ROLES, STAFF_ROLE, STATES, USES } from './key-choices.js';

export const KEY_FILTERS = {
  nameContains: 'text',
  role: ['server', 'browser', 'staff', 'owner'],
  state: ['active', 'disabled', 'expired', 'revoked'],
  attention: ['banned', 'nearLimit', 'rejected'],
  usedToday: ['true', 'false'],
  orderBy: ['createdAt', 'lastUsedAt', 'usageToday'],
} as const;

type ChosenFilters = Filters<typeof KEY_FILTERS>;

/** Whether the filters can exclude any key; the order cannot. */
export function isFiltering({ orderBy: _, ...filters }: ChosenFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

export function filterOf(projectId: string, chosen: ChosenFilters): ApiKeyFilter {
  const { nameContains, role, state, attention, usedToday } = chosen;
  return {
    projectId,
    nameContains,
    role,
    state,
    banned: attention === 'banned' ? true : undefined,
    nearLimit: attention === 'nearLimit' ? true : undefined,
    rejectedToday: attention === 'rejected' ? true : undefined,
    usedToday: choiceOf(usedToday),
  };
}

export const KEY_FILTER_FIELDS: readonly FilterField<keyof typeof KEY_FILTERS>[] = [
  { name: 'nameContains', label: 'Name' },
  { name: 'role', label: 'Role', choices: [ANY, ...PROJECT_ROLES, STAFF_ROLE] },
  { name: 'state', label: 'State', choices: [ANY, ...STATES] },
  {
    name: 'attention',
    label: 'Needs attention',
    choices: [
      ANY,
      { value: 'banned', label: 'Banned now' },
      { value: 'nearLimit', label: 'Near a limit today' },
      { value: 'rejected', label: 'Rejected today (429)' },
    ],
  },
  { name: 'usedToday', label: 'Today', choices: [ANY, ...USES] },
  { name: 'orderBy', label: 'Order', choices: ORDERS, isOnPhone: true },
];

import { PLAN_IDS } from '../../../../src/features/plans/plans.js';
import type { FilterField } from '../../../shell/filter-bar.js';
import { ANY, ORDERS, PROJECT_ROLES, STAFF_ROLE, STATES, USES } from '../../keys/key-choices.js';
import { PLAN_CHOICES } from '../../plans/plan-fields.js';

export const KEY_FILTERS = {
  nameContains: 'text',
  plan: PLAN_IDS,
  role: ['server', 'browser', 'staff', 'owner', 'admin'],
  state: ['active', 'disabled', 'expired', 'revoked'],
  banned: ['true', 'false'],
  nearLimit: ['true', 'false'],
  rejectedToday: ['true', 'false'],
  usedToday: ['true', 'false'],
  orderBy: ['createdAt', 'lastUsedAt', 'usageToday'],
} as const;

export const KEY_FILTER_FIELDS: readonly FilterField<keyof typeof KEY_FILTERS>[] = [
  { name: 'nameContains', label: 'Name' },
  { name: 'plan', label: 'Plan', choices: [ANY, ...PLAN_CHOICES] },
  {
    name: 'role',
    label: 'Role',
    choices: [ANY, ...PROJECT_ROLES, STAFF_ROLE, { value: 'admin', label: 'Admin' }],
  },
  { name: 'state', label: 'State', choices: [ANY, ...STATES] },
  {
    name: 'banned',
    label: 'Ban',
    choices: [ANY, { value: 'true', label: 'Banned now' }, { value: 'false', label: 'Not banned' }],
  },
  {
    name: 'nearLimit',
    label: 'Limits',
    choices: [
      ANY,
      { value: 'true', label: '80% used or more today' },
      { value: 'false', label: 'Less than 80% used today' },
    ],
  },
  {
    name: 'rejectedToday',
    label: '429',
    choices: [
      ANY,
      { value: 'true', label: 'Rejected today' },
      { value: 'false', label: 'Not rejected today' },
    ],
  },
  { name: 'usedToday', label: 'Today', choices: [ANY, ...USES] },
  { name: 'orderBy', label: 'Order', choices: ORDERS, isOnPhone: true },
];

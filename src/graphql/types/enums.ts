import { registerEnumType } from 'type-graphql';
import { API_KEY_ROLES, API_KEY_STATES } from '../../api-keys/api-key.js';
import { API_KEY_ORDERS } from '../../api-keys/api-keys-store.js';
import { DEPLOY_STATES, SITE_TEMPLATES } from '../../deploys/deploy.js';
import { PET_STATUSES } from '../../pets/pet.js';
import { PLAN_IDS } from '../../quotas/plans.js';
import { WINDOW_NAMES } from '../../quotas/window.js';
import { DOORS } from '../../usage/usage.js';

/** The specification's own words, as GraphQL enums: each value is its own name. */
function enumOf<T extends string>(name: string, values: readonly T[], description: string): Record<T, T> {
  const members = Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;
  registerEnumType(members, { name, description });
  return members;
}

export const PetStatusEnum = enumOf('PetStatus', PET_STATUSES, 'Availability of a pet.');
export const PlanIdEnum = enumOf(
  'PlanId',
  PLAN_IDS,
  'The plan of a project: it decides the quota of its keys.',
);
export const ApiKeyRoleEnum = enumOf('ApiKeyRole', API_KEY_ROLES, 'What a key may do.');
export const ApiKeyStateEnum = enumOf('ApiKeyState', API_KEY_STATES, 'Whether a key can be used.');
export const QuotaWindowNameEnum = enumOf(
  'QuotaWindowName',
  WINDOW_NAMES,
  'A minute runs 60 s from its first request; a day is the UTC calendar day.',
);
export const ApiKeyOrderEnum = enumOf(
  'ApiKeyOrder',
  API_KEY_ORDERS,
  'createdAt: oldest first; lastUsedAt and usageToday: most first.',
);
export const DoorEnum = enumOf('Door', DOORS, 'The way a request came in.');
export const DeployStateEnum = enumOf(
  'DeployState',
  DEPLOY_STATES,
  'awaiting_upload: its archive can be sent; ready: it can be live; failed: its archive was refused; expired: no archive came in time.',
);
export const SiteTemplateEnum = enumOf(
  'SiteTemplate',
  SITE_TEMPLATES,
  'A built-in site. storefront: a page of the pets that are available.',
);

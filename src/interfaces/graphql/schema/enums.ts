import type { ApiKeyRole, ApiKeyState } from '../../../features/keys/api-key.js';
import type { ApiKeyOrder } from '../../../features/keys/api-keys-store.js';
import type { DeployState, SiteTemplate } from '../../../features/publishing/deploys/deploy.js';
import type { PetStatus } from '../../../features/pets/pet.js';
import { mapPlans, type Plan, type PlanId } from '../../../features/plans/plans.js';
import type { WindowName } from '../../../features/plans/window.js';
import type { ApiInterface } from '../../../features/usage/usage.js';
import { enumOf } from './enum-of.js';

export const PetStatusEnum = enumOf<PetStatus>('PetStatus', 'The availability of an animal.', {
  available: 'The animal can be adopted.',
  pending: 'The animal is not available at the moment, and not sold.',
  sold: 'The animal is not available any more.',
});

export const PlanIdEnum = enumOf<PlanId>(
  'PlanId',
  'The plan of a project: it decides the quota of its keys, and whether it may have domains of its own.',
  mapPlans(
    ({ quota, includesDomains }) => `${limitsOf(quota)}, ${includesDomains ? 'with' : 'without'} domains.`,
  ),
);

export const ApiKeyRoleEnum = enumOf<ApiKeyRole>('ApiKeyRole', 'What a key may do.', {
  browser: 'Read pets over GraphQL, from pages of its own origins. Anybody can read such a key in the page.',
  server: 'Read and add pets through both interfaces, and see its own quota and the plans.',
  owner:
    'All that a server key may do, and within its project also keys (except admin keys), deploys, domains, usage and the audit log.',
  admin: 'Everything, in all projects; alone changes plans, resets quotas and lifts bans.',
});

export const ApiKeyStateEnum = enumOf<ApiKeyState>('ApiKeyState', 'Whether a key can be used.', {
  active: 'The key can be used, unless it is banned.',
  expired: 'The key has ended by itself.',
  revoked: 'Somebody has ended the key, for good.',
});

export const QuotaWindowNameEnum = enumOf<WindowName>(
  'QuotaWindowName',
  'A window that requests are counted in.',
  {
    minute: '60 seconds from the first request in it.',
    day: 'The calendar day in UTC.',
  },
);

export const ApiKeyOrderEnum = enumOf<ApiKeyOrder>('ApiKeyOrder', 'An order of API keys.', {
  createdAt: 'The oldest key first.',
  lastUsedAt: 'The key that was used last first; keys that were never used at the end.',
  usageToday: 'The key with the most usage of the current UTC day first.',
});

export const ApiInterfaceEnum = enumOf<ApiInterface>('ApiInterface', 'The interface that a request used.', {
  graphql: 'Through GraphQL, at /graphql.',
  rest: 'Through REST, or as the upload of a deploy.',
});

export const DeployStateEnum = enumOf<DeployState>('DeployState', 'How far a deploy has got.', {
  awaiting_upload: 'Its archive can be sent.',
  ready: 'It has its files, and can be live.',
  failed: 'Its archive was refused: `problem` says why.',
  expired: 'No archive came in time.',
});

export const SiteTemplateEnum = enumOf<SiteTemplate>('SiteTemplate', 'A site that is built in.', {
  storefront: 'A page of the animals, with their status and filters.',
});

function limitsOf(quota: Plan['quota']): string {
  if (quota === 'custom') return 'As many requests as were agreed for the project';
  return `${quota.requestsPerMinute} requests a minute and ${quota.requestsPerDay} a day`;
}

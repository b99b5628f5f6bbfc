import { registerEnumType } from 'type-graphql';
import type { ApiKeyRole, ApiKeyState } from '../../../features/keys/api-key.js';
import type { ApiKeyOrder } from '../../../features/keys/api-keys-store.js';
import type { FileChange } from '../../../features/publishing/deploys/compare-files.js';
import type { DeployState, SiteTemplate } from '../../../features/publishing/deploys/deploy.js';
import type { PetOrder } from '../../../features/pets/page.js';
import type { ExistingChoice, PetsImportState } from '../../../features/synchronization/pets-import.js';
import type { PetStatus } from '../../../features/pets/pet.js';
import type { PetsOfDeleted } from '../../../features/projects/project-removals.js';
import { describeQuota, mapPlans, type Plan, type PlanId } from '../../../features/plans/plans.js';
import type { WindowName } from '../../../features/plans/window.js';
import type { SiteAnimals } from '../../../features/projects/project.js';
import type { TrafficPeriod, TrafficSource } from '../../../features/usage/traffic.js';
import type { ApiInterface } from '../../../features/usage/usage.js';

/**
 * Registers a GraphQL enum for a string type of the domain: each value is its own name. The code compiles only if
 * `values` describes every value.
 */
export function enumOf<T extends string>(
  name: string,
  description: string,
  values: Record<T, string>,
): Record<T, T> {
  const members = Object.fromEntries(Object.keys(values).map((value) => [value, value])) as Record<T, T>;
  const valuesConfig = Object.fromEntries(
    Object.entries<string>(values).map(([value, meaning]) => [value, { description: meaning }]),
  ) as Record<T, { description: string }>;
  registerEnumType(members, { name, description, valuesConfig });
  return members;
}

export const PetsOfDeletedEnum = enumOf<PetsOfDeleted>(
  'PetsOfDeletedProject',
  'What becomes of the animals of a deleted project.',
  {
    delete: 'They are removed.',
    handOver: 'They stay in the catalogue and belong to no project.',
  },
);
export const PetStatusEnum = enumOf<PetStatus>('PetStatus', 'The availability of an animal.', {
  available: 'The animal can be adopted.',
  pending: 'The animal is currently not available, and not sold.',
  sold: 'The animal is no longer available.',
});

export const PetOrderEnum = enumOf<PetOrder>('PetOrder', 'The order of a list of pets.', {
  id: 'By ascending id. Ids say nothing about time: a pet that is added later can have a lower id.',
  newest:
    'By the time at which the pet was added, the latest first. A list that you page through to its end misses no pet that was added before its first page was read.',
});

export const SiteAnimalsEnum = enumOf<SiteAnimals>(
  'SiteAnimals',
  "Which animals a project's site shows, over its /graphql and in the storefront.",
  { own: 'The animals of the project.', all: 'All animals of the catalogue.' },
);

export const PetsImportExistingEnum = enumOf<ExistingChoice>(
  'PetsImportExisting',
  'What an import does with a line whose animal exists: the project has an animal with this `externalId`.',
  {
    reject: 'It rejects the line.',
    skip: 'It leaves the animal as it is.',
    replace: 'It gives the animal the values of the line. A value that the line does not have stays.',
  },
);

export const PetsImportStateEnum = enumOf<PetsImportState>('PetsImportState', 'The status of an import.', {
  awaiting_file: 'The import is waiting for its file.',
  checked: 'The file was read. The counts say what would change. `startPetsImport` applies it.',
  applying: 'The import changes the animals. If its gateway ends, another one continues.',
  done: 'The import is complete. The counts say what changed.',
  failed: 'The gateway could not read the file, and changed nothing; `problem` says why.',
  expired: 'The file did not arrive in time, or nobody started the import in time, or a later file was read.',
});

export const PlanIdEnum = enumOf<PlanId>(
  'PlanId',
  "The plan of a project. It sets the quota of the project's keys, and whether the project can have custom domains.",
  mapPlans(
    ({ quota, includesDomains }) =>
      `${limitsOf(quota)}, ${includesDomains ? 'with' : 'without'} custom domains.`,
  ),
);

export const ApiKeyRoleEnum = enumOf<ApiKeyRole>('ApiKeyRole', 'The role of a key: what the key may do.', {
  browser:
    'Reads pets over GraphQL, from pages of its allowed origins only. Anyone can read the key in such a page.',
  server:
    'Reads all pets and adds, changes and removes those of its project, over REST and GraphQL. Reads its own quota and the plans.',
  staff:
    'The key of a person who was invited, see `createInvitation`. Signs in to the dashboard, and does what a server key does. Within its project, also imports of pets.',
  owner:
    'Everything that a server key can do. Within its project, also imports of pets, keys (except admin keys), staff, deploys, domains, usage and the audit log.',
  admin:
    'Full access to all projects. Only admins can create and delete projects, change plans, reset quotas and lift bans.',
});

export const ApiKeyStateEnum = enumOf<ApiKeyState>('ApiKeyState', 'Whether a key can be used.', {
  active: 'The key can be used, unless it is banned.',
  disabled: 'The key is paused: `enableApiKey` lets it work again.',
  expired: 'The key has expired.',
  revoked: 'The key was revoked permanently.',
});

export const QuotaWindowNameEnum = enumOf<WindowName>(
  'QuotaWindowName',
  'A quota window, in which the gateway counts requests.',
  {
    minute: '60 seconds, starting with the first request in the window.',
    day: 'The calendar day in UTC.',
  },
);

export const ApiKeyOrderEnum = enumOf<ApiKeyOrder>(
  'ApiKeyOrder',
  'The order of a list of API keys. If a gateway process writes the usage of more than 500 keys at once, an order by `lastUsedAt` or `usageToday` can be up to about 20 minutes late.',
  {
    createdAt: 'Oldest keys first.',
    lastUsedAt: 'Most recently used keys first, keys that were never used last.',
    usageToday: 'Keys with the highest usage on the current UTC day first.',
  },
);

export const ApiInterfaceEnum = enumOf<ApiInterface>('ApiInterface', 'The interface that a request used.', {
  graphql: 'The GraphQL interface at /graphql.',
  rest: 'The REST interface, or the upload of a deploy.',
});

export const TrafficPeriodEnum = enumOf<TrafficPeriod>('TrafficPeriod', 'How long a period of traffic is.', {
  minute: 'A minute. The gateway keeps minutes for a day.',
  hour: 'An hour. The gateway keeps hours for 30 days.',
  day: 'A calendar day in UTC. The gateway keeps days as long as usage.',
});

export const TrafficSourceEnum = enumOf<TrafficSource>('TrafficSource', 'Who sent requests.', {
  ...mapPlans(({ name }) => `Keys of projects on the ${name} plan.`),
  admin: 'Admin keys, which belong to no project.',
  unauthenticated: 'Clients without a valid key.',
});

export const DeployStateEnum = enumOf<DeployState>('DeployState', 'The status of a deploy.', {
  awaiting_upload: 'The deploy is waiting for its archive.',
  ready: 'The deploy has its files and can be live.',
  failed: 'The gateway rejected the archive; `problem` says why.',
  expired: 'The archive did not arrive in time.',
});

export const FileChangeEnum = enumOf<FileChange>('FileChange', 'How a file differs between two deploys.', {
  added: 'Only the later deploy has the file.',
  changed: 'Both deploys have the file, with different bytes.',
  removed: 'Only the earlier deploy has the file.',
});

export const SiteTemplateEnum = enumOf<SiteTemplate>(
  'SiteTemplate',
  'A built-in site that you can publish.',
  {
    storefront: 'A page that shows the animals, with their status and filters.',
  },
);

function limitsOf(quota: Plan['quota']): string {
  if (quota === 'custom') return 'Limits agreed for the project';
  return describeQuota(quota);
}

export {
  createPetsClient,
  type PetsClient,
  type PetsClientOptions,
  type CreateOptions,
  type ListOptions,
  type MatchOptions,
  type PetsPage,
  type UpdateOptions,
} from './client.js';
export type { Deprecation } from './deprecation.js';
export { PetChanged, PetsApiError, PetsUnreachable, type FailedRequest, type PetState } from './errors.js';
export type { NewPet, Pet, PetChanges, PetStatus, PetVersion } from './pet.js';
export type { RateLimit } from './rate-limit.js';
export type { RetryOptions } from './retry.js';

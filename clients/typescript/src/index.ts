export {
  createPetsClient,
  type PetsClient,
  type PetsClientOptions,
  type ListOptions,
  type PetsPage,
} from './client.js';
export type { Deprecation } from './deprecation.js';
export { PetsApiError, PetsUnreachable, type FailedRequest } from './errors.js';
export type { NewPet, Pet, PetStatus } from './pet.js';
export type { RateLimit } from './rate-limit.js';
export type { RetryOptions } from './retry.js';

import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import type { PetsPage, PetsQuery } from './page.js';
import type { NewPet, Pet } from './pet.js';
import type { PetsStore } from './pets-store.js';

export interface PetsService {
  list(query: PetsQuery): Promise<PetsPage>;
  /** @param projectId the project that the pet belongs to; undefined: the store itself */
  create(pet: NewPet, projectId: string | undefined): Promise<Pet>;
  /** @throws ApiError pet_not_found */
  get(id: bigint): Promise<Pet>;
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
}

export function createPetsService(store: PetsStore, clock: Clock): PetsService {
  return {
    list: (query) => store.list(query),
    getMany: (ids) => store.getMany(ids),
    async create(newPet, projectId) {
      const pet = { id: await store.reserveId(), ...newPet, projectId, createdAt: new Date(clock()) };
      await store.insert(pet);
      return pet;
    },
    async get(id) {
      return (await store.get(id)) ?? petNotFound(String(id));
    },
  };
}

/** @throws ApiError pet_not_found, always */
export function petNotFound(id: string): never {
  throw new ApiError('pet_not_found', `There is no pet with the id ${id}.`);
}

import { ApiError } from '../../lib/errors.js';
import type { PetsPage, PetsQuery } from './page.js';
import type { NewPet, Pet } from './pet.js';
import type { PetsStore } from './pets-store.js';

export interface PetsService {
  list(query: PetsQuery): Promise<PetsPage>;
  create(pet: NewPet): Promise<Pet>;
  /** @throws ApiError pet_not_found */
  get(id: bigint): Promise<Pet>;
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
}

export function createPetsService(store: PetsStore): PetsService {
  return {
    list: (query) => store.list(query),
    getMany: (ids) => store.getMany(ids),
    async create(newPet) {
      const pet = { id: await store.reserveId(), ...newPet };
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

import { ApiError } from '../lib/errors.js';
import type { Clock } from '../lib/clock.js';
import { GET_PET_DEPRECATION } from './get-pet-deprecation.js';
import type { PetsPage, PetsQuery } from './page.js';
import type { NewPet, Pet } from './pet.js';
import type { PetsStore } from './pets-store.js';

export interface PetsService {
  list(query: PetsQuery): Promise<PetsPage>;
  create(pet: NewPet): Promise<Pet>;
  /**
   * The deprecated getPet: removed by the clock.
   * @throws ApiError pet_not_found; operation_removed from the sunset on
   */
  get(id: bigint): Promise<Pet>;
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
}

export function createPetsService(store: PetsStore, clock: Clock): PetsService {
  return {
    list: (query) => store.list(query),
    getMany: (ids) => store.getMany(ids),
    async create(newPet) {
      const pet = { id: await store.reserveId(), ...newPet };
      await store.insert(pet);
      return pet;
    },
    async get(id) {
      assertGetPetNotRemoved(clock);
      return (await store.get(id)) ?? petNotFound(String(id));
    },
  };
}

/** @throws ApiError operation_removed */
export function assertGetPetNotRemoved(clock: Clock): void {
  if (clock() >= GET_PET_DEPRECATION.sunsetMs)
    throw new ApiError('operation_removed', GET_PET_DEPRECATION.removedMessage);
}

/** @throws ApiError pet_not_found, always */
export function petNotFound(id: string): never {
  throw new ApiError('pet_not_found', `There is no pet with the id ${id}.`);
}

import { createPetOnce, type CreatePetOnce } from '../features/pets/idempotency/create-pet-once.js';
import type { Clock } from '../lib/clock.js';
import { withCoalescedReads } from '../features/pets/coalesced-reads.js';
import { withGroupCommit } from '../features/pets/group-commit.js';
import { withLeasedIds } from '../features/pets/leased-ids.js';
import { createPetsService, type PetsService } from '../features/pets/pets-service.js';
import type { PetsStore } from '../features/pets/pets-store.js';
import type { Stores } from './stores.js';
import type { Tracing } from '../observability/tracing/tracing.js';

/** The pets, the same for all projects. */
export interface Pets {
  pets: PetsService;
  petsStore: PetsStore;
  createPetOnce: CreatePetOnce;
}

export function createPets(
  { pets, idempotency }: Pick<Stores, 'pets' | 'idempotency'>,
  tracing: Pick<Tracing, 'pets'>,
  clock: Clock,
): Pets {
  // Layers that make the pet store fast under load. Each keeps the store's contract and can be left out.
  const petsStore = [withLeasedIds, withGroupCommit, withCoalescedReads, tracing.pets].reduce(
    (store, layer) => layer(store, clock),
    pets,
  );
  return {
    pets: createPetsService(petsStore),
    petsStore,
    createPetOnce: createPetOnce(petsStore, idempotency, clock),
  };
}

import type { Pet } from './pet.js';
import { PetExists, type InsertOutcome, type PetsStore } from './pets-store.js';

/** Implements insert and insertOnce with a function that returns the outcome of one insert. */
export function singleInserts(
  attempt: (pet: Pet) => Promise<InsertOutcome>,
): Pick<PetsStore, 'insert' | 'insertOnce'> {
  return {
    async insert(pet) {
      const failure = await attempt(pet);
      if (failure !== undefined) throw failure;
    },
    async insertOnce(pet) {
      const failure = await attempt(pet);
      if (failure !== undefined && !(failure instanceof PetExists)) throw failure;
    },
  };
}

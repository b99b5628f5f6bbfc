import type { Pet } from './pet.js';
import { PetExists, type InsertOutcome, type PetsStore } from './pets-store.js';

/** insert and insertOnce, over whatever tells what became of one pet. */
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

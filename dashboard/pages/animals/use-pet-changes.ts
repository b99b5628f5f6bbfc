import { useMemo } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../../api/api-failure.js';
import type { UpdatePetInput } from '../../api/schema-types.js';
import { useGraphql } from '../../api/session-context.js';
import { DELETE_PET, UPDATE_PET, type Pet } from './animal-documents.js';

/** The fields that people change. */
export type PetFields = Pick<Pet, 'name' | 'categoryId' | 'status'>;

/** What became of a change. */
export type Outcome =
  | { is: 'changed'; pet: Pet }
  /** The animal no longer exists, by this change or by somebody else's. */
  | { is: 'removed'; bySomebodyElse: boolean }
  /** Somebody else changed the animal before: nothing was changed, and `pet` is the animal as it is now. */
  | { is: 'conflict'; pet: Pet }
  | { is: 'failed'; failure: ApiFailure };

export interface PetChanges {
  /** Saves the changes if these fields of the animal are still as in `pet`. */
  update: (pet: Pet, changes: Partial<PetFields>) => Promise<Outcome>;
  /** Removes the animal if it is still as in `pet`. */
  remove: (pet: Pet) => Promise<Outcome>;
}

export function usePetChanges(): PetChanges {
  const run = useGraphql();
  return useMemo(
    () => ({
      update: (pet, changes) =>
        outcomeOf(pet, async () => {
          const result = await run(UPDATE_PET, { input: updateOf(pet, changes) });
          return { is: 'changed', pet: result.updatePet.pet };
        }),
      remove: (pet) =>
        outcomeOf(pet, async () => {
          const { id, name, categoryId, status } = pet;
          await run(DELETE_PET, {
            input: { id, ifName: name, ifCategoryId: categoryId, ifStatus: status },
          });
          return { is: 'removed', bySomebodyElse: false };
        }),
    }),
    [run],
  );
}

/** Each changed field has a condition, so that a field that somebody else changed is not overwritten. */
export function updateOf(pet: PetFields & { id: string }, changes: Partial<PetFields>): UpdatePetInput {
  return {
    id: pet.id,
    ...changes,
    ...(changes.name !== undefined && { ifName: pet.name }),
    ...(changes.categoryId !== undefined && { ifCategoryId: pet.categoryId }),
    ...(changes.status !== undefined && { ifStatus: pet.status }),
  };
}

async function outcomeOf(pet: Pet, send: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : noAnswer();
    if (failure.code === 'pet_not_found') return { is: 'removed', bySomebodyElse: true };
    if (failure.code !== 'precondition_failed') return { is: 'failed', failure };
    const { name, categoryId, status } = failure.details as Partial<PetFields>;
    return {
      is: 'conflict',
      pet: {
        ...pet,
        name: name ?? pet.name,
        categoryId: categoryId ?? pet.categoryId,
        status: status ?? pet.status,
      },
    };
  }
}

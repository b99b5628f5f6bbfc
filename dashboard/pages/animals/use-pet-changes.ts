import { useMemo } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../../api/api-failure.js';
import type { DeletePetInput, NewPet, UpdatePetInput } from '../../api/schema-types.js';
import { useGraphql } from '../../api/session-context.js';
import { DELETE_PET, UPDATE_PET, type Pet } from './animal-documents.js';

/** The fields that people change. */
export type PetFields = Pick<Pet, keyof NewPet>;

/** For each of them, the argument that requires a value of it. */
const CONDITION_ON = {
  name: 'ifName',
  categoryId: 'ifCategoryId',
  status: 'ifStatus',
} as const satisfies Record<keyof PetFields, keyof UpdatePetInput & keyof DeletePetInput>;
export const PET_FIELDS = Object.keys(CONDITION_ON) as (keyof PetFields)[];

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
          await run(DELETE_PET, { input: { id: pet.id, ...conditionsOn(pet, PET_FIELDS) } });
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
    ...conditionsOn(
      pet,
      PET_FIELDS.filter((field) => changes[field] !== undefined),
    ),
  };
}

function conditionsOn(pet: PetFields, fields: readonly (keyof PetFields)[]) {
  return Object.fromEntries(fields.map((field) => [CONDITION_ON[field], pet[field]]));
}

async function outcomeOf(pet: Pet, send: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : noAnswer();
    if (failure.code === 'pet_not_found') return { is: 'removed', bySomebodyElse: true };
    if (failure.code !== 'precondition_failed') return { is: 'failed', failure };
    // The details are the fields of the animal as it is now.
    return { is: 'conflict', pet: { ...pet, ...(failure.details as Partial<PetFields>) } };
  }
}

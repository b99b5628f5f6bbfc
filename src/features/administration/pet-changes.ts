import type { AuditState } from '../audit/audit-record.js';
import { PET_FIELDS, type NewPet, type Pet } from '../pets/pet.js';
import type { PetChanges } from '../pets/pet-change.js';
import type { ChangedPet, ChangeOptions, PetsService } from '../pets/pets-service.js';
import type { Change } from './change.js';

/** Changes of pets that are audited: those of dashboard sessions, admins and the command line. */
export interface PetAdministration {
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  updatePet(id: bigint, changes: PetChanges, options: ChangeOptions, also?: AlsoDo): Promise<ChangedPet>;
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  deletePet(id: bigint, options: ChangeOptions, also?: AlsoDo): Promise<Pet>;
}

/** What the transaction of a change stores besides: called with the pet after the change, or before its removal. */
export type AlsoDo = (pet: Pet) => Promise<void>;

export interface PetChangesParts {
  pets: Pick<PetsService, 'update' | 'remove'>;
  record: <T>(change: Change<T>) => Promise<T>;
}

export function petChanges({ pets, record }: PetChangesParts): PetAdministration {
  const targetOf = ({ id, projectId }: Pet) => ({ projectId, petId: String(id) });
  return {
    updatePet: (id, changes, options, also) =>
      record({
        action: 'pet.update',
        async run() {
          const changed = await pets.update(id, changes, options);
          await also?.(changed.after);
          return changed;
        },
        describe: ({ before, after }) => ({
          target: targetOf(after),
          before: stateOf(before),
          after: stateOf(after),
        }),
      }),
    deletePet: (id, options, also) =>
      record({
        action: 'pet.delete',
        async run() {
          const pet = await pets.remove(id, options);
          await also?.(pet);
          return pet;
        },
        describe: (pet) => ({
          target: targetOf(pet),
          before: { ...stateOf(pet), ...(pet.externalId !== undefined && { externalId: pet.externalId }) },
          after: { ...NOTHING, ...(pet.externalId !== undefined && { externalId: null }) },
        }),
      }),
  };
}

const NOTHING: AuditState = Object.fromEntries(PET_FIELDS.map((field) => [field, null]));

function stateOf({ name, categoryId, status }: NewPet): AuditState {
  return { name, categoryId: String(categoryId), status };
}

import type { Caller } from '../keys/caller.js';
import type { PetChanges } from '../pets/pet-change.js';
import type { Pet } from '../pets/pet.js';
import type { ChangeOptions, PetsAuthority, PetsService } from '../pets/pets-service.js';
import type { PetAdministration } from './pet-changes.js';

/** What a change or removal requires of the pet as it is. */
export type Precondition = Pick<ChangeOptions, 'ifPet' | 'ifMatch'>;

/**
 * Changes pets in the name of a caller, for both interfaces. Keys of a project change its pets, and admins all pets. The
 * audit log records changes by dashboard sessions and admins; those by other keys count in the usage.
 */
export type ChangePets = (caller: Caller) => {
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  update(id: bigint, changes: PetChanges, precondition: Precondition): Promise<Pet>;
  /** Returns the pet that was removed. @throws ApiError pet_not_found, forbidden, precondition_failed */
  remove(id: bigint, precondition: Precondition): Promise<Pet>;
};

export interface ChangePetsParts {
  pets: Pick<PetsService, 'update' | 'remove'>;
  administration: (caller: Caller) => PetAdministration;
}

export function createChangePets({ pets, administration }: ChangePetsParts): ChangePets {
  return (caller) => {
    const isAudited = caller.session !== undefined || caller.key.role === 'admin';
    const authority = authorityOf(caller);
    return {
      async update(id, changes, precondition) {
        const options = { authority, ...precondition };
        const { after } = isAudited
          ? await administration(caller).updatePet(id, changes, options)
          : await pets.update(id, changes, options);
        return after;
      },
      remove(id, precondition) {
        const options = { authority, ...precondition };
        return isAudited ? administration(caller).deletePet(id, options) : pets.remove(id, options);
      },
    };
  };
}

function authorityOf({ key, project }: Caller): PetsAuthority {
  if (key.role === 'admin') return 'all';
  // A key without a project is an admin key. No pet belongs to a project without an id.
  return { projectId: project?.id ?? '' };
}

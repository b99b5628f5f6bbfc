import type { Caller } from '../keys/caller.js';
import type { ChangePetOnce } from '../pets/idempotency/change-pet-once.js';
import type { CreatePetOnce, DoneOnce } from '../pets/idempotency/create-pet-once.js';
import type { PetChanges } from '../pets/pet-change.js';
import type { NewPet, Pet } from '../pets/pet.js';
import type { ChangeOptions, PetsScope, PetsService } from '../pets/pets-service.js';
import type { AlsoDo, AuditedPets } from './audited-pets.js';

/** What a change or removal requires of the pet as it is. */
export interface Precondition extends Pick<ChangeOptions, 'ifPet'> {
  /** `text` stands for the condition: equal texts are equal conditions. */
  ifMatch?: { text: string; accepts: (pet: Pet) => boolean } | undefined;
}

/**
 * Adds, changes and removes pets in the name of a caller, for both interfaces. With an Idempotency-Key, a repeated
 * request does nothing and has the result of the first. Pets that a project's key adds belong to the project. Its keys
 * change these, and admins all pets. The audit log records what dashboard sessions and staff keys change, remove or,
 * without an Idempotency-Key, add, and what admins change or remove. The rest counts in the usage.
 * @throws ApiError idempotency_mismatch, idempotency_in_progress
 */
export type PetsOfCaller = (
  caller: Caller,
  idempotencyKey?: string,
) => {
  create(newPet: NewPet): Promise<DoneOnce>;
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  update(id: bigint, changes: PetChanges, precondition: Precondition): Promise<DoneOnce>;
  /** Returns the pet that was removed. @throws ApiError pet_not_found, forbidden, precondition_failed */
  remove(id: bigint, precondition: Precondition): Promise<DoneOnce>;
};

export interface PetsOfCallerParts {
  pets: Pick<PetsService, 'create' | 'update' | 'remove'>;
  createPetOnce: CreatePetOnce;
  changePetOnce: ChangePetOnce;
  administration: (caller: Caller) => AuditedPets;
  /** Runs all or nothing, possibly more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
}

export function createPetsOfCaller(parts: PetsOfCallerParts): PetsOfCaller {
  const { pets, createPetOnce, changePetOnce, administration, transact } = parts;

  return (caller, idempotencyKey) => {
    const { key: apiKey, project } = caller;
    const isByPerson = caller.session !== undefined || apiKey.role === 'staff';
    const isAudited = isByPerson || apiKey.role === 'admin';
    const scope = scopeOf(caller);
    const owned =
      idempotencyKey === undefined ? undefined : { owner: project?.id ?? apiKey.id, idempotencyKey };

    /** With an Idempotency-Key, a change shares a transaction with the record of the key. */
    async function once(
      request: { operation: 'updatePet' | 'deletePet'; petId: bigint; asked: readonly unknown[] },
      run: (also?: AlsoDo) => Promise<Pet>,
    ): Promise<DoneOnce> {
      if (owned === undefined) return { pet: await run(), replayed: false };
      return changePetOnce(owned, {
        ...request,
        run: (finish) => (isAudited ? run(finish) : transact(() => run(finish))),
      });
    }

    return {
      async create(newPet) {
        if (owned !== undefined) return createPetOnce(owned, newPet, project?.id);
        // A person added it. What programs add counts in the usage.
        const pet = await (isByPerson
          ? administration(caller).createPet(newPet, project?.id)
          : pets.create(newPet, project?.id));
        return { pet, replayed: false };
      },
      update(id, changes, precondition) {
        const options = optionsOf(scope, precondition);
        const { name, categoryId, status } = changes;
        const asked = [[name, categoryId, status], ...textsOf(precondition)];
        return once({ operation: 'updatePet', petId: id, asked }, async (also) => {
          if (isAudited) return (await administration(caller).updatePet(id, changes, options, also)).after;
          const { after } = await pets.update(id, changes, options);
          await also?.(after);
          return after;
        });
      },
      remove(id, precondition) {
        const options = optionsOf(scope, precondition);
        return once({ operation: 'deletePet', petId: id, asked: textsOf(precondition) }, async (also) => {
          if (isAudited) return administration(caller).deletePet(id, options, also);
          const pet = await pets.remove(id, options);
          await also?.(pet);
          return pet;
        });
      },
    };
  };
}

function optionsOf(scope: PetsScope, { ifPet, ifMatch }: Precondition): ChangeOptions {
  return { scope, ifPet, ifMatch: ifMatch?.accepts };
}

function textsOf({ ifPet = {}, ifMatch }: Precondition): unknown[] {
  const { name, categoryId, status } = ifPet;
  return [[name, categoryId, status], ifMatch?.text];
}

function scopeOf({ key, project }: Caller): PetsScope {
  if (key.role === 'admin') return 'all';
  if (project === undefined) throw new Error(`no project: the key ${key.id} is not an admin key`);
  return { projectId: project.id };
}

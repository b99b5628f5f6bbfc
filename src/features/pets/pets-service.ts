import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import type { PetsFilter, PetsPage, PetsQuery } from './page.js';
import { fieldsOf, PET_FIELDS, type NewPet, type Pet } from './pet.js';
import { meets, type ChangeOutcome, type PetChanges, type PetCondition } from './pet-change.js';
import type { PetsStore } from './pets-store.js';

export interface PetsService {
  list(query: PetsQuery): Promise<PetsPage>;
  /** Undefined if there are too many to count: see PetsStore. */
  count(filter: PetsFilter): Promise<number | undefined>;
  /**
   * Joins a transaction under way.
   * @param projectId the project that the pet belongs to; undefined: none
   * @param id from reserveId; undefined: a new one
   */
  create(pet: NewPet, projectId: string | undefined, id?: bigint): Promise<Pet>;
  /** The id for a create in a transaction. Reserve it before: within, it would hold up all other creates. */
  reserveId(): Promise<bigint>;
  /** @throws ApiError pet_not_found, forbidden, precondition_failed */
  update(id: bigint, changes: PetChanges, options: ChangeOptions): Promise<ChangedPet>;
  /** Returns the pet that was removed. @throws ApiError pet_not_found, forbidden, precondition_failed */
  remove(id: bigint, options: ChangeOptions): Promise<Pet>;
  /**
   * Removes all pets that the project has now, in parts, and returns their number. Interrupted, it can be repeated.
   */
  removeAllOf(projectId: string, signal: AbortSignal): Promise<number>;
  /** @throws ApiError pet_not_found */
  get(id: bigint): Promise<Pet>;
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
}

/** Whose pets a caller may change: those of one project, or all. */
export type PetsScope = { projectId: string } | 'all';

export interface ChangeOptions extends Pick<PetCondition, 'ifPet' | 'ifMatch'> {
  scope: PetsScope;
}

export interface ChangedPet {
  before: Pet;
  after: Pet;
}

export function createPetsService(store: PetsStore, clock: Clock): PetsService {
  return {
    list: (query) => store.list(query),
    count: (filter) => store.count(filter),
    getMany: (ids) => store.getMany(ids),
    reserveId: () => store.reserveId(),
    async create(newPet, projectId, reserved) {
      const id = reserved ?? (await store.reserveId());
      const pet = { id, ...newPet, projectId, createdAt: new Date(clock()) };
      await store.insert(pet);
      return pet;
    },
    async update(id, changes, options) {
      const condition = conditionOf(options);
      const before = petBefore(id, await store.update(id, changes, condition), condition);
      return { before, after: { ...before, ...changes } };
    },
    async remove(id, options) {
      const condition = conditionOf(options);
      return petBefore(id, await store.remove(id, condition), condition);
    },
    removeAllOf: (projectId, signal) => store.removeOf(projectId, signal),
    async get(id) {
      return (await store.get(id)) ?? petNotFound(String(id));
    },
  };
}

function conditionOf({ scope, ...options }: ChangeOptions): PetCondition {
  return { ...options, ...(scope !== 'all' && scope) };
}

/** The pet is not as a change or removal requires it. Nothing was changed. */
export class PetConditionError extends ApiError {
  /** @param pet as it is */
  constructor(
    readonly pet: Pet,
    message: string,
  ) {
    super('precondition_failed', `${message} Nothing was changed.`, { details: { ...fieldsOf(pet) } });
  }
}

/** Returns the pet before the change. @throws ApiError pet_not_found, forbidden, PetConditionError */
function petBefore(id: bigint, { isDone, pet }: ChangeOutcome, { projectId, ifPet = {} }: PetCondition): Pet {
  if (pet === undefined) petNotFound(String(id));
  if (isDone) return pet;
  if (!meets(pet, { projectId }))
    throw new ApiError(
      'forbidden',
      `The pet with the id ${id} does not belong to the project of this key. Only keys of its project, and admins, can change or remove it.`,
    );
  const differences = PET_FIELDS.flatMap((field) => {
    const [required, actual] = [ifPet[field], pet[field]];
    if (required === undefined || required === actual) return [];
    // A name can be long. `details` has it.
    return [field === 'name' ? 'it has another name' : `its ${field} is ${actual}, not ${required}`];
  });
  const what = differences.length === 0 ? 'it has changed' : differences.join(', ');
  throw new PetConditionError(pet, `The pet with the id ${id} is not as the request requires: ${what}.`);
}

/** @throws ApiError pet_not_found, always */
export function petNotFound(id: string): never {
  throw new ApiError('pet_not_found', `There is no pet with the id ${id}.`);
}

import type { PetsFilter, PetsPage, PetsQuery } from './page.js';
import type { NewPet, Pet } from './pet.js';
import type { ChangeOutcome, PetChanges, PetCondition } from './pet-change.js';

/**
 * Stores pets. Every implementation passes test/contract/pets-store. A read sees each create that was acknowledged
 * before the read began. A store that cannot respond throws its driver's error; the store does not retry. Callers can
 * share results and must not change them.
 */
export interface PetsStore {
  list(query: PetsQuery): Promise<PetsPage>;
  /**
   * The number of pets that match, or undefined if they are more than MAX_COUNTED, or if more than MAX_EXAMINED pets had to
   * be examined for it.
   */
  count(filter: PetsFilter): Promise<number | undefined>;
  get(id: bigint): Promise<Pet | undefined>;
  /** In the order of `ids`; undefined for ids that do not exist. */
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
  /** Returns a positive id that no pet has and no other call returns. Unused ids leave gaps. */
  reserveId(): Promise<bigint>;
  /** Returns the first of `count` consecutive such ids. */
  reserveIds(count: number): Promise<bigint>;
  /**
   * Stops assigning ids up to this one, so that pets can be inserted with their own ids. Ids up to the returned one
   * were assigned before; the range above it, up to `upTo`, is free.
   */
  setIdsAside(upTo: bigint): Promise<bigint>;
  /**
   * Resolves once the pet is durable (majority, journaled). Joins a transaction under way, unless the store groups
   * inserts.
   * @throws PetExists, ExternalIdTaken
   */
  insert(pet: Pet): Promise<void>;
  /** Like insert, but a pet with this id comes from an earlier attempt and stays unchanged. */
  insertOnce(pet: Pet): Promise<void>;
  /** Like insert, for each pet, in one round trip. Throws if the outcome is unknown. */
  insertEach(pets: readonly Pet[]): Promise<InsertOutcome[]>;
  /**
   * Changes these fields of the pet in one atomic step if the pet meets the condition. Resolves once the change is
   * durable. Joins a transaction under way.
   */
  update(id: bigint, changes: PetChanges, condition: PetCondition): Promise<ChangeOutcome>;
  /** Whether a transaction is under way, which changes join. */
  isInTransaction(): boolean;
  /**
   * Like update, for each, in few round trips: as if they were made one after the other. Throws if the outcome is unknown.
   */
  updateEach(updates: readonly PetUpdate[]): Promise<UpdateOutcome[]>;
  /** Removes the pet in the same way. */
  remove(id: bigint, condition: PetCondition): Promise<ChangeOutcome>;
  /**
   * Removes all pets of the project that exist now, in parts, and returns their number. Interrupted, it can be repeated.
   * @param signal checked before each part
   */
  removeOf(projectId: string, signal: AbortSignal): Promise<number>;
  /** In the same way, unlinks all pets of the project from it. They stay in the catalogue. */
  handOver(projectId: string, signal: AbortSignal): Promise<number>;
  /** Like insert, for many pets of one project, or of none, in few round trips: for demo data. */
  insertMany(pets: readonly NewPet[], projectId?: string): Promise<Pet[]>;
}

export interface PetUpdate {
  id: bigint;
  changes: PetChanges;
  condition: PetCondition;
}

/** An error if the database refused the update, or others changed the pet time and again. */
export type UpdateOutcome = ChangeOutcome | Error;

/** Why a pet was not inserted; undefined if it was inserted. */
export type InsertOutcome = Error | undefined;

/** Another pet of the project has this number; it stays unchanged. */
export class ExternalIdTaken extends Error {
  constructor(externalId: string) {
    super(`another pet of the project has the number ${externalId}`);
    this.name = 'ExternalIdTaken';
  }
}

/** A pet with this id exists; it stays unchanged. */
export class PetExists extends Error {
  constructor(id: bigint) {
    super(`a pet with the id ${id} already exists`);
    this.name = 'PetExists';
  }
}

import type { PetsPage, PetsQuery } from './page.js';
import type { NewPet, Pet } from './pet.js';

/**
 * Where pets are kept. Every implementation passes test/contract/pets-store.
 * Reads see each create that was acknowledged before the read began. A store that cannot answer throws
 * whatever its driver throws; nothing here retries. What is answered may be shared: nobody changes it.
 */
export interface PetsStore {
  /** Ordered by id ascending; `hasMore` is exact. */
  list(query: PetsQuery): Promise<PetsPage>;
  get(id: bigint): Promise<Pet | undefined>;
  /** In the order of `ids`, undefined where there is none. */
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
  /** A positive id that no pet has or will be given by another call. Ids that are never used leave gaps. */
  reserveId(): Promise<bigint>;
  /** The first of `count` such ids in a row. */
  reserveIds(count: number): Promise<bigint>;
  /**
   * Nobody is given an id up to this one any more, so that pets can be inserted with ids of their own: above the
   * answered one, up to which ids were given out before.
   */
  setIdsAside(upTo: bigint): Promise<bigint>;
  /**
   * Resolves once the pet is durable (majority, journaled).
   * @throws PetExists
   */
  insert(pet: Pet): Promise<void>;
  /** As insert; a pet with this id is the one of an earlier attempt and stays as it is. */
  insertOnce(pet: Pet): Promise<void>;
  /** As insert, for each of them, in one round trip. Throws when it is not known what became of them. */
  insertEach(pets: readonly Pet[]): Promise<InsertOutcome[]>;
  /** As insert, for many, in few round trips: for imports and demo data. */
  insertMany(pets: readonly NewPet[]): Promise<Pet[]>;
}

/** Why a pet was not inserted; undefined when it was. */
export type InsertOutcome = Error | undefined;

/** There is a pet with this id; it stays as it is. */
export class PetExists extends Error {
  constructor(id: bigint) {
    super(`there is a pet with the id ${id} already`);
    this.name = 'PetExists';
  }
}

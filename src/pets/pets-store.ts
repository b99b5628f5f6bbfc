import type { PetsPage, PetsQuery } from './page.js';
import type { NewPet, Pet } from './pet.js';

/**
 * Where pets are kept. Every implementation passes test/contract/pets-store.
 * Reads see each create that was acknowledged before the read began. A store that cannot answer throws
 * whatever its driver throws; nothing here retries.
 */
export interface PetsStore {
  /** Ordered by id ascending; `hasMore` is exact. */
  list(query: PetsQuery): Promise<PetsPage>;
  get(id: bigint): Promise<Pet | undefined>;
  /** In the order of `ids`, undefined where there is none. */
  getMany(ids: readonly bigint[]): Promise<(Pet | undefined)[]>;
  /** A positive id that no pet has or will be given by another call. Ids that are never used leave gaps. */
  reserveId(): Promise<bigint>;
  /** Resolves once the pet is durable (majority, journaled). */
  insert(pet: Pet): Promise<void>;
  /** As insert; a pet with this id is the one of an earlier attempt and stays as it is. */
  insertOnce(pet: Pet): Promise<void>;
  /** As insert, for many, in few round trips: for imports and demo data. */
  insertMany(pets: readonly NewPet[]): Promise<Pet[]>;
}

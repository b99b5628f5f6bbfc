import type { Clock } from '../../../lib/clock.js';
import { PET_FIELDS, type NewPet, type Pet } from '../pet.js';
import type { PetsStore } from '../pets-store.js';
import { createClaimKey, fingerprintOf, type OwnedIdempotencyKey } from './claim-key.js';
import type { IdempotencyStore } from './idempotency-store.js';

export interface DoneOnce {
  pet: Pet;
  /** Whether an earlier request did it. */
  replayed: boolean;
}

/**
 * Creates a pet at most once for an Idempotency-Key within a scope.
 *
 * Writes the record first, with the pet's reserved id, then the pet with that id, then marks the record as made. If the
 * process dies in between, a retry finds the record and creates or finds the same pet: an attempt that takes over too
 * early is harmless. A replay builds the pet from the reserved id and the request itself, because the fingerprints are
 * equal.
 *
 * @param projectId the project that the pet belongs to, which is the owner of the key; undefined: none
 * @throws ApiError idempotency_mismatch, idempotency_in_progress
 */
export type CreatePetOnce = (
  owned: OwnedIdempotencyKey,
  newPet: NewPet,
  projectId?: string,
) => Promise<DoneOnce>;

export function createCreatePetOnce(
  pets: Pick<PetsStore, 'reserveId' | 'insertOnce'>,
  records: IdempotencyStore,
  clock: Clock,
): CreatePetOnce {
  const claim = createClaimKey(records, clock);

  return async (owned, newPet, projectId) => {
    const { scope, record } = await claim('createPet', owned, {
      // Fields are added at the end, so that records of a version without the field are still of the same request.
      fingerprint: fingerprintOf(PET_FIELDS.map((field) => newPet[field])),
      petId: () => pets.reserveId(),
    });
    const pet = { id: record.petId, ...newPet, projectId, createdAt: record.createdAt };
    if (record.isMade) return { pet, replayed: true };
    try {
      await pets.insertOnce(pet);
      await records.finish(scope);
      return { pet, replayed: false };
    } catch (error) {
      // The store may be unavailable for this as well. Then the hold expires by itself.
      await records.release(scope, new Date(clock())).catch(() => undefined);
      throw error;
    }
  };
}

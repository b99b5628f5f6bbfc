import type { Clock } from '../../../lib/clock.js';
import type { Pet } from '../pet.js';
import { createClaimKey, fingerprintOf, inProgress, type OwnedIdempotencyKey } from './claim-key.js';
import type { DoneOnce } from './create-pet-once.js';
import type { IdempotencyStore } from './idempotency-store.js';

export interface ChangeRequest {
  operation: 'updatePet' | 'deletePet';
  petId: bigint;
  /** What else the request says: the changes and the precondition. */
  asked: readonly unknown[];
  /**
   * Makes the change. It calls `finish` with the pet in the transaction of the change: neither is stored without the
   * other, so no retry makes the change a second time.
   */
  run: (finish: (pet: Pet) => Promise<void>) => Promise<Pet>;
}

/**
 * Changes or removes a pet at most once for an Idempotency-Key within a scope. A replay returns the pet as it was after
 * the change.
 * @throws ApiError idempotency_mismatch, idempotency_in_progress; errors of `run`, which are not stored
 */
export type ChangePetOnce = (owned: OwnedIdempotencyKey, request: ChangeRequest) => Promise<DoneOnce>;

export function createChangePetOnce(records: IdempotencyStore, clock: Clock): ChangePetOnce {
  const claim = createClaimKey(records, clock);

  return async (owned, { operation, petId, asked, run }) => {
    const fingerprint = fingerprintOf([petId, ...asked]);
    const { scope, record } = await claim(operation, owned, { fingerprint, petId: () => petId });
    if (record.isMade && record.pet !== undefined) return { pet: record.pet, replayed: true };
    try {
      const pet = await run(async (changed) => {
        // An attempt that was too slow is overtaken by a retry. Only one of the two can commit.
        if (!(await records.finishWith(scope, changed))) throw inProgress();
      });
      return { pet, replayed: false };
    } catch (error) {
      await records.release(scope, new Date(clock())).catch(() => undefined);
      throw error;
    }
  };
}

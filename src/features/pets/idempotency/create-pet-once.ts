import { createHash } from 'node:crypto';
import { ApiError } from '../../../lib/errors.js';
import { DAY_MS, type Clock } from '../../../lib/clock.js';
import { PET_FIELDS, type NewPet, type Pet } from '../pet.js';
import type { PetsStore } from '../pets-store.js';
import type { IdempotencyRecord, IdempotencyStore } from './idempotency-store.js';

/** How long an attempt is taken to be at work. Taking over too early does no harm: both make the same pet. */
const HOLD_MS = 5000;
const LIFETIME_MS = DAY_MS;

export interface CreatedOnce {
  pet: Pet;
  /** Whether an earlier request created it. */
  replayed: boolean;
}

/**
 * Creates a pet at most once for a key within a scope (draft-ietf-httpapi-idempotency-key-header).
 *
 * The record is written first, with the pet's reserved id; then the pet, under that id; then that it is made. Whatever
 * dies in between, a retry finds the record and makes or finds that same pet. For a replay the
 * request itself says what the pet of the reserved id is: the fingerprints are equal.
 *
 * @throws ApiError idempotency_mismatch, idempotency_in_progress
 */
export type CreatePetOnce = (key: { owner: string; key: string }, newPet: NewPet) => Promise<CreatedOnce>;

export function createPetOnce(
  pets: Pick<PetsStore, 'reserveId' | 'insertOnce'>,
  records: IdempotencyStore,
  clock: Clock,
): CreatePetOnce {
  async function complete(scope: string, petId: bigint, newPet: NewPet): Promise<CreatedOnce> {
    try {
      const pet = { id: petId, ...newPet };
      await pets.insertOnce(pet);
      await records.finish(scope, pet);
      return { pet, replayed: false };
    } catch (error) {
      // The store may be down for this as well: then the hold runs out by itself.
      await records.release(scope, new Date(clock())).catch(() => undefined);
      throw error;
    }
  }

  function isHeld({ heldUntil }: IdempotencyRecord): boolean {
    const leftMs = heldUntil.getTime() - clock();
    // Longer than anybody holds one: by a clock that was ahead.
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  return async ({ owner, key }, newPet) => {
    const scope = scopeOf(owner, key);
    const hold = () => new Date(clock() + HOLD_MS);
    const { isOurs, record } = await records.begin(
      scope,
      { fingerprint: fingerprintOf(newPet), petId: await pets.reserveId(), heldUntil: hold(), isMade: false },
      new Date(clock() + LIFETIME_MS),
    );
    if (isOurs) return complete(scope, record.petId, newPet);
    if (record.fingerprint !== fingerprintOf(newPet))
      throw new ApiError(
        'idempotency_mismatch',
        'This Idempotency-Key was used for another request within the last 24 hours. Use a new one.',
      );
    if (record.isMade) return { pet: { id: record.petId, ...newPet }, replayed: true };
    if (isHeld(record) || !(await records.takeOver(scope, record, hold())))
      throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is under way.', {
        retryAfterSeconds: 1,
      });
    return complete(scope, record.petId, newPet);
  };
}

/** What the scopes of an owner begin with. */
export function scopesOf(owner: string): string {
  return `createPet:${owner}:`;
}

/** Hashed, so that a key of any characters is an id of bounded length. */
function scopeOf(owner: string, key: string): string {
  return scopesOf(owner) + createHash('sha256').update(key).digest('base64url');
}

function fingerprintOf(newPet: NewPet): string {
  const values = PET_FIELDS.map((field) => newPet[field]);
  const text = JSON.stringify(values.map((value) => (typeof value === 'bigint' ? String(value) : value)));
  return createHash('sha256').update(text).digest('base64url');
}

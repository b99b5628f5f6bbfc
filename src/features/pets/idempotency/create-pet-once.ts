import { sha256 } from '../../../lib/sha256.js';
import { ApiError } from '../../../lib/errors.js';
import { DAY_MS, type Clock } from '../../../lib/clock.js';
import { PET_FIELDS, type NewPet, type Pet } from '../pet.js';
import type { PetsStore } from '../pets-store.js';
import type { IdempotencyRecord, IdempotencyStore } from './idempotency-store.js';

/** How long an attempt is assumed to be running. Taking over too early is harmless: both attempts make the same pet. */
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
 * Writes the record first, with the pet's reserved id, then the pet with that id, then marks the record as made. If the
 * process dies in between, a retry finds the record and creates or finds the same pet. A replay builds the pet from the
 * reserved id and the request itself, because the fingerprints are equal.
 *
 * @throws ApiError idempotency_mismatch, idempotency_in_progress
 */
export type CreatePetOnce = (key: CreateKey, newPet: NewPet) => Promise<CreatedOnce>;

export interface CreateKey {
  /** The scope of the key: a project, or an admin key. */
  owner: string;
  key: string;
  /** The project that the pet belongs to; undefined: the store itself. */
  projectId?: string | undefined;
}

export function createPetOnce(
  pets: Pick<PetsStore, 'reserveId' | 'insertOnce'>,
  records: IdempotencyStore,
  clock: Clock,
): CreatePetOnce {
  async function complete(scope: string, pet: Pet): Promise<CreatedOnce> {
    try {
      await pets.insertOnce(pet);
      await records.finish(scope);
      return { pet, replayed: false };
    } catch (error) {
      // The store may be unavailable for this as well. Then the hold expires by itself.
      await records.release(scope, new Date(clock())).catch(() => undefined);
      throw error;
    }
  }

  function isHeld({ heldUntil }: IdempotencyRecord): boolean {
    const leftMs = heldUntil.getTime() - clock();
    // A hold longer than HOLD_MS was set by a process with a fast clock.
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  return async ({ owner, key, projectId }, newPet) => {
    const scope = scopeOf(owner, key);
    const hold = () => new Date(clock() + HOLD_MS);
    const { isOurs, record } = await records.begin(
      scope,
      {
        fingerprint: fingerprintOf(newPet),
        petId: await pets.reserveId(),
        createdAt: new Date(clock()),
        heldUntil: hold(),
        isMade: false,
      },
      new Date(clock() + LIFETIME_MS),
    );
    const pet = { id: record.petId, ...newPet, projectId, createdAt: record.createdAt };
    if (isOurs) return complete(scope, pet);
    if (record.fingerprint !== fingerprintOf(newPet))
      throw new ApiError(
        'idempotency_mismatch',
        'This Idempotency-Key was used for another request within the last 24 hours. Use a new one.',
      );
    if (record.isMade) return { pet, replayed: true };
    if (isHeld(record) || !(await records.takeOver(scope, record, hold())))
      throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is under way.', {
        retryAfterSeconds: 1,
      });
    return complete(scope, pet);
  };
}

/** The common prefix of an owner's scopes. */
export function scopesOf(owner: string): string {
  return `createPet:${owner}:`;
}

/** Hashes the key, so that a key with any characters becomes an id of bounded length. */
function scopeOf(owner: string, key: string): string {
  return scopesOf(owner) + sha256(key, 'base64url');
}

/**
 * An optional field at the end that is not given leaves no trace: records that a version without the field stored are
 * still of the same request.
 */
function fingerprintOf(newPet: NewPet): string {
  const all = PET_FIELDS.map((field): unknown => newPet[field]);
  const values = all.slice(0, all.findLastIndex((value) => value !== undefined) + 1);
  const text = JSON.stringify(values.map((value) => (typeof value === 'bigint' ? String(value) : value)));
  return sha256(text, 'base64url');
}

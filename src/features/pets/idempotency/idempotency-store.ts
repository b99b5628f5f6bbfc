import type { Pet } from '../pet.js';

/** The record of one Idempotency-Key within its scope. */
export interface IdempotencyRecord {
  /** Fingerprint of the parsed request: the same key with another request is a mistake. */
  fingerprint: string;
  /** Reserved before the pet is created, so that every attempt creates the same pet or none. */
  petId: bigint;
  /** When the first attempt began. Every attempt creates the pet with this time. */
  createdAt: Date;
  /** Until when the attempt that holds the record is assumed to be running. */
  heldUntil: Date;
  /** The pet after the change, or before its removal. Set together with `isMade`, and not for a pet that was created. */
  pet?: Pet | undefined;
  /** Whether the pet is durable. From then on, the request is replayed. */
  isMade: boolean;
}

export interface IdempotencyStore {
  /**
   * Writes the record unless an unexpired one exists, and resolves to the record then stored. `isOurs`: whether this
   * call wrote it. Resolves once the write is durable.
   */
  begin(
    scope: string,
    record: IdempotencyRecord,
    expiresAt: Date,
  ): Promise<{ isOurs: boolean; record: IdempotencyRecord }>;
  /** Takes over a record whose holder released it or died. Returns false if another attempt was first. */
  takeOver(scope: string, expected: IdempotencyRecord, heldUntil: Date): Promise<boolean>;
  /** Records that the pet was created. */
  finish(scope: string): Promise<void>;
  /**
   * Records the result of a change, in its transaction. Returns false if another attempt recorded one.
   */
  finishWith(scope: string, pet: Pet): Promise<boolean>;
  /** Releases a record after a failed attempt, so that a retry need not wait. */
  release(scope: string, heldUntil: Date): Promise<void>;
  /** Removes all records whose scope has this prefix, until the signal is aborted. */
  removeUnder(prefix: string, signal: AbortSignal): Promise<void>;
}

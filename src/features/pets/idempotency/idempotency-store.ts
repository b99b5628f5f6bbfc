import type { Pet } from '../pet.js';

/** What one Idempotency-Key stands for within its scope. */
export interface IdempotencyRecord {
  /** Of the parsed request: the same key with another request is a mistake. */
  fingerprint: string;
  /** Reserved before anything is made, so that every attempt makes the same pet or none. */
  petId: bigint;
  /** Until when the attempt that holds the record may be taken to be at work. */
  heldUntil: Date;
  /** Whether the pet is durable: from then on the request is answered again. */
  isMade: boolean;
}

export interface IdempotencyStore {
  /**
   * Writes the record unless there is a live one; resolves to the one that is there then. `isOurs` tells whether this
   * call wrote it. Durable before it resolves.
   */
  begin(
    scope: string,
    record: IdempotencyRecord,
    expiresAt: Date,
  ): Promise<{ isOurs: boolean; record: IdempotencyRecord }>;
  /** Takes over a record whose holder let it go or died; false when somebody else was first. */
  takeOver(scope: string, expected: IdempotencyRecord, heldUntil: Date): Promise<boolean>;
  /** Records that the pet is made. */
  finish(scope: string, pet: Pet): Promise<void>;
  /** Lets a record go after a failed attempt, so that a retry need not wait. */
  release(scope: string, heldUntil: Date): Promise<void>;
  /** Removes all whose scope begins so, until the signal is aborted. */
  removeUnder(prefix: string, signal: AbortSignal): Promise<void>;
}

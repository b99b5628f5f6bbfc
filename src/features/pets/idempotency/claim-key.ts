import { ApiError } from '../../../lib/errors.js';
import { DAY_MS, type Clock } from '../../../lib/clock.js';
import { sha256 } from '../../../lib/sha256.js';
import type { IdempotencyRecord, IdempotencyStore } from './idempotency-store.js';

/** How long an attempt is assumed to be running. */
const HOLD_MS = 5000;
const LIFETIME_MS = DAY_MS;

/** The operations that accept an Idempotency-Key, over both interfaces. */
const OPERATIONS = ['createPet', 'updatePet', 'deletePet'] as const;
type IdempotentOperation = (typeof OPERATIONS)[number];

/** An Idempotency-Key and its scope: a project, or an admin key. */
export interface OwnedIdempotencyKey {
  owner: string;
  idempotencyKey: string;
}

export interface Claim {
  scope: string;
  /** If `isMade`, the request is a replay. Otherwise this attempt holds the record. */
  record: IdempotencyRecord;
}

/** The common prefixes of an owner's scopes. */
export function scopesOf(owner: string): string[] {
  return OPERATIONS.map((operation) => scopesOfOperation(operation, owner));
}

function scopesOfOperation(operation: IdempotentOperation, owner: string): string {
  return `${operation}:${owner}:`;
}

export type ClaimKey = (
  operation: IdempotentOperation,
  owned: OwnedIdempotencyKey,
  request: { fingerprint: string; petId: () => Promise<bigint> | bigint },
) => Promise<Claim>;

/**
 * Claims an Idempotency-Key for a request (draft-ietf-httpapi-idempotency-key-header).
 * @throws ApiError idempotency_mismatch, idempotency_in_progress
 */
export function createClaimKey(records: IdempotencyStore, clock: Clock): ClaimKey {
  const hold = () => new Date(clock() + HOLD_MS);

  function isHeld({ heldUntil }: IdempotencyRecord): boolean {
    const leftMs = heldUntil.getTime() - clock();
    // A hold longer than HOLD_MS was set by a process with a fast clock.
    return leftMs > 0 && leftMs <= HOLD_MS;
  }

  return async (operation, { owner, idempotencyKey }, { fingerprint, petId }) => {
    // Hashes the key, so that a key with any characters becomes an id of bounded length.
    const scope = scopesOfOperation(operation, owner) + sha256(idempotencyKey, 'base64url');
    const attempt = {
      fingerprint,
      petId: await petId(),
      createdAt: new Date(clock()),
      heldUntil: hold(),
      isMade: false,
    };
    const { isOurs, record } = await records.begin(scope, attempt, new Date(clock() + LIFETIME_MS));
    if (isOurs) return { scope, record };
    if (record.fingerprint !== fingerprint)
      throw new ApiError(
        'idempotency_mismatch',
        'This Idempotency-Key was used for another request within the last 24 hours. Use a new one.',
      );
    if (!record.isMade && (isHeld(record) || !(await records.takeOver(scope, record, hold()))))
      throw inProgress();
    return { scope, record };
  };
}

export function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is under way.', {
    retryAfterSeconds: 1,
  });
}

/** Values by position. Values at the end that are not given leave no trace. */
export function fingerprintOf(all: readonly unknown[]): string {
  const values = all.slice(0, all.findLastIndex((value) => value !== undefined) + 1);
  return sha256(
    JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    'base64url',
  );
}

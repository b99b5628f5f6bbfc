import { MINUTE_MS, SECOND_MS } from '../../../lib/clock.js';
import { ApiError } from '../../../lib/errors.js';
import { sha256 } from '../../../lib/sha256.js';
import type { ApiKeyRole } from '../api-key.js';

/** A browser's session, signed in with a key. Only the hash of its token is stored. */
export interface Session {
  tokenHash: string;
  /**
   * The sealed hash of the secret that opened the session, see session-token.ts. The session can do what the secret can,
   * and only as long as the secret works.
   */
  sealedSecretHash: string;
  keyId: string;
  /** As browserNameOf returns it; undefined if it is not known. */
  browser?: string | undefined;
  createdAt: Date;
  /** When the session ends without further requests; never after `endsAt`. */
  expiresAt: Date;
  /** When the session ends at the latest. */
  endsAt: Date;
}

/** A session without requests for this long expires. */
const IDLE_MS = 2 * 60 * MINUTE_MS;
/** A session expires after this time, however much it is used. */
export const LONGEST_SESSION_SECONDS = 12 * 60 * 60;
/** Minimum time between writes for a session in use. The session may expire early by up to this time. */
const WRITTEN_EVERY_MS = MINUTE_MS;

const TIME_LENGTH = 12;
const HASH_LENGTH = 20;

/**
 * Per client. A key cannot be guessed at any rate. The limit is for clients that try lists of keys, and costs little.
 */
export const FAILED_SIGN_INS_PER_MINUTE = 10;

/** The roles of keys that people sign in with. The other roles are for programs and public pages. */
export const SIGN_IN_ROLES: readonly ApiKeyRole[] = ['staff', 'owner', 'admin'];

/** How many sessions a page of the list contains at most. */
export const MOST_LISTED = 100;

/** How many sessions of a key last at the same time. One more sign-in ends the oldest. */
export const MOST_SESSIONS = 200;

/** When a session that starts now expires and ends. */
export function endOfNew(nowMs: number): Pick<Session, 'expiresAt' | 'endsAt'> {
  return {
    expiresAt: new Date(nowMs + IDLE_MS),
    endsAt: new Date(nowMs + LONGEST_SESSION_SECONDS * SECOND_MS),
  };
}

export function isOver({ expiresAt }: Session, nowMs: number): boolean {
  return expiresAt.getTime() <= nowMs;
}

export function sessionOver(): ApiError {
  return new ApiError('invalid_api_key', 'This session has ended: sign in again.');
}

/** The new `expiresAt` after a request; undefined if the change is too small to write. */
export function extensionOf({ expiresAt, endsAt }: Session, nowMs: number): Date | undefined {
  const nextMs = Math.min(nowMs + IDLE_MS, endsAt.getTime());
  return nextMs - expiresAt.getTime() >= WRITTEN_EVERY_MS ? new Date(nextMs) : undefined;
}

/**
 * Names a session in lists and URLs: when it began, then a hash, together 32 hex digits. The id gives nobody the session:
 * only its token does.
 */
export function idOf({ tokenHash, createdAt }: Pick<Session, 'tokenHash' | 'createdAt'>): string {
  const time = createdAt.getTime().toString(16).padStart(TIME_LENGTH, '0');
  return time + sha256(`id ${tokenHash}`, 'hex').slice(0, HASH_LENGTH);
}

/** When the session with this id began. Sessions are ordered by it, so an id is also a place in the list. */
export function createdAtOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, TIME_LENGTH), 16));
}

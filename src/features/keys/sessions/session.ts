import { MINUTE_MS, SECOND_MS } from '../../../lib/clock.js';
import type { ApiKeyRole } from '../api-key.js';

/** A browser that is signed in with a key. Of its token only the hash is kept. */
export interface Session {
  tokenHash: string;
  /** Of the secret that it was opened with, see sealed-hash.ts: the session can do what that can, and only as long. */
  sealedSecretHash: string;
  keyId: string;
  createdAt: Date;
  /** When it ends if nothing is asked by it before; never after `endsAt`. */
  expiresAt: Date;
  /** When it ends at the latest. */
  endsAt: Date;
}

/** Without a request for so long, a session is over. */
export const IDLE_MS = 2 * 60 * MINUTE_MS;
/** However much it is used, a session is over after this. */
export const LONGEST_SESSION_SECONDS = 12 * 60 * 60;
/** A session in use is written no more often than this: it may end by so much too early. */
const WRITTEN_EVERY_MS = MINUTE_MS;

/** Of one client. A key cannot be guessed at any rate; this is for whoever tries lists of them, and costs little. */
export const FAILED_SIGN_INS_PER_MINUTE = 10;

/** The roles of keys that a person signs in with; the others are for programs and for public pages. */
export const SIGN_IN_ROLES: readonly ApiKeyRole[] = ['owner', 'admin'];

/** When a session that begins now expires and ends. */
export function endOfNew(nowMs: number): Pick<Session, 'expiresAt' | 'endsAt'> {
  return {
    expiresAt: new Date(nowMs + IDLE_MS),
    endsAt: new Date(nowMs + LONGEST_SESSION_SECONDS * SECOND_MS),
  };
}

export function isOver({ expiresAt }: Session, nowMs: number): boolean {
  return expiresAt.getTime() <= nowMs;
}

/** What `expiresAt` becomes by a request; undefined while that is not worth a write. */
export function extensionOf({ expiresAt, endsAt }: Session, nowMs: number): Date | undefined {
  const nextMs = Math.min(nowMs + IDLE_MS, endsAt.getTime());
  return nextMs - expiresAt.getTime() >= WRITTEN_EVERY_MS ? new Date(nextMs) : undefined;
}

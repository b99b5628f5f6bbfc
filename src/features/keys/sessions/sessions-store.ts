import type { Session } from './session.js';

/** Stores sessions for all gateways. Changes use majority writes; reads use the primary. */
export interface SessionsStore {
  insert(session: Session): Promise<void>;
  /** Also finds expired sessions until they are removed. */
  find(tokenHash: string): Promise<Session | undefined>;
  /** Like `find`, and makes a transaction conflict with the end of the session, so that one restarts after the other. */
  lock(tokenHash: string): Promise<Session | undefined>;
  /**
   * Up to `first` sessions of a key, newest first: those that began at `from` or before, or the newest. Includes expired
   * ones until they are removed.
   */
  listOfKey(keyId: string, page: { first: number; from?: Date | undefined }): Promise<Session[]>;
  /** Never moves the expiry to an earlier time; does nothing if the session no longer exists. */
  extend(tokenHash: string, expiresAt: Date): Promise<void>;
  /** Returns false if the session did not exist. */
  remove(tokenHash: string): Promise<boolean>;
  /** Removes the sessions of a key that have not expired, except this one. Returns how many. */
  removeOthers(keyId: string, tokenHash: string, now: Date): Promise<number>;
  /**
   * Removes the oldest sessions of a key that have not expired, so that `keep` remain, this one among them. Returns how
   * many it removed. Call it in a transaction that conflicts with others of the same key: each would count without the
   * sessions that the others insert.
   */
  removeOldest(keyId: string, kept: { tokenHash: string; keep: number; now: Date }): Promise<number>;
  removeOfKeys(keyIds: readonly string[]): Promise<void>;
}

import type { Session } from './session.js';

/** Where sessions are kept, for all gateways: changes are majority writes, reads are of the primary. */
export interface SessionsStore {
  insert(session: Session): Promise<void>;
  /** Those that are over too, until they are swept. */
  find(tokenHash: string): Promise<Session | undefined>;
  /** Never to an earlier time; nothing for a session that is gone. */
  extend(tokenHash: string, expiresAt: Date): Promise<void>;
  /** Resolves to false when there was none. */
  remove(tokenHash: string): Promise<boolean>;
  removeOfKeys(keyIds: readonly string[]): Promise<void>;
}

import type { Awaitable } from '../../lib/awaitable.js';
import { whenKnown } from '../../lib/awaitable.js';
import type { Clock } from '../../lib/clock.js';
import type { ProjectsStore } from '../projects/projects-store.js';
import type { ApiKeysStore } from './api-keys-store.js';
import { CONFIGURED_ADMIN_KEY_ID, type Authenticator } from './authenticator.js';
import { invalidApiKey, requireUsable, type Caller } from './caller.js';
import { isOver, sessionOver } from './sessions/session.js';
import type { SessionsStore } from './sessions/sessions-store.js';

/**
 * Checks again whether a caller may act. A request is authenticated when its headers arrive, but it may wait afterwards,
 * for its body, for its turn or for a store. Meanwhile its key can be revoked, its secret or its session can end, and
 * its project can change.
 */
export interface CallerChecks {
  /**
   * Returns the caller with the current state of its key and project, the same object if nothing has changed. Asks the
   * memory of this process, and a store only for a key that has changed, and for a session that was last looked up
   * more than SESSION_KNOWN_MS ago.
   * @throws ApiError invalid_api_key; service_unavailable if a store does not respond
   */
  current(caller: Caller): Awaitable<Caller>;
  /**
   * Requires, in a transaction, that the caller's key, secret, session and project are valid. A concurrent revocation,
   * rotation or sign-out conflicts with the transaction: either it commits later, or the transaction restarts and sees
   * it. Call it first, because a transaction reads the state of the database at its first operation.
   *
   * A concurrent deletion of the project does not conflict: its removal also covers what is written meanwhile.
   * @param claim of this transaction
   * @throws ApiError invalid_api_key
   */
  require(caller: Caller, claim?: string): Promise<void>;
  /**
   * Lets a transaction that restarted come before the changes that a key makes: one after the other, they would make it
   * restart for ever. Call it first. Ends with the transaction.
   */
  claim(keyId: string, claim: string): Promise<void>;
  /** Lets a transaction that claimed the key come first. Call it before the key is changed. */
  requireUnclaimed(keyId: string, claim?: string): Promise<void>;
}

export interface CallerChecksParts {
  authenticator: Pick<Authenticator, 'current'>;
  keys: Pick<ApiKeysStore, 'lock' | 'claim' | 'requireUnclaimed'>;
  sessions: Pick<SessionsStore, 'find' | 'lock'>;
  projects: Pick<ProjectsStore, 'get'>;
  clock: Clock;
}

/** How long a request relies on a session that was found in the store, milliseconds. Most requests take less. */
export const SESSION_KNOWN_MS = 100;

export function createCallerChecks(parts: CallerChecksParts): CallerChecks {
  const { authenticator, keys, sessions, projects, clock } = parts;

  async function foundAgain(caller: Caller, tokenHash: string): Promise<Caller> {
    const foundAtMs = performance.now();
    const session = await sessions.find(tokenHash);
    if (session === undefined || isOver(session, clock())) throw sessionOver();
    return { ...caller, session: { tokenHash, foundAtMs } };
  }

  return {
    current: (caller) =>
      whenKnown(authenticator.current(caller), (known) => {
        const { session } = caller;
        if (session === undefined) return known;
        const same = known === caller ? caller : { ...known, session };
        const isKnown = performance.now() - session.foundAtMs < SESSION_KNOWN_MS;
        return isKnown ? same : foundAgain(same, session.tokenHash);
      }),
    claim: (keyId, claim) => keys.claim(keyId, claim),
    requireUnclaimed: (keyId, claim) => keys.requireUnclaimed(keyId, claim),
    async require({ key, secretHash, session }, claim) {
      if (session !== undefined) {
        const stored = await sessions.lock(session.tokenHash);
        if (stored === undefined || isOver(stored, clock())) throw sessionOver();
      }
      // The configured admin key has no document. It changes with a restart.
      if (key.id === CONFIGURED_ADMIN_KEY_ID) return;
      const stored = await keys.lock(key.id, claim);
      const isSame = stored?.role === key.role && stored.projectId === key.projectId;
      if (stored === undefined || !isSame) throw invalidApiKey();
      requireUsable({ key: stored, secretHash }, clock());
      if (stored.projectId !== undefined && (await projects.get(stored.projectId)) === undefined)
        throw invalidApiKey();
    },
  };
}

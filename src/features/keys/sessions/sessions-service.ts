import { hashSecret } from '../secret.js';
import type { Authenticator } from '../authenticator.js';
import type { Caller } from '../caller.js';
import type { AuditAction, AuditState } from '../../audit/audit-record.js';
import type { AuditStore } from '../../audit/audit-store.js';
import type { Clock } from '../../../lib/clock.js';
import { ApiError } from '../../../lib/errors.js';
import { endOfNew, extensionOf, isOver, SIGN_IN_ROLES, type Session } from './session.js';
import { createToken, hashToken, isToken, openHash, sealHash } from './session-token.js';
import type { SessionsStore } from './sessions-store.js';

/** A session, with the current state and role of its key. */
export interface SignedIn {
  session: Session;
  caller: Caller;
}

export interface SessionsService {
  /**
   * Returns the caller with this secret.
   * @throws ApiError invalid_api_key; forbidden if the key's role cannot sign in
   */
  identify(secret: string): Promise<Caller>;
  /** Opens a session for the caller. Ends the browser's previous session, `earlierToken`. */
  open(caller: Caller, secret: string, earlierToken?: string): Promise<SignedIn & { token: string }>;
  /**
   * Returns the signed-in session. Looks up the session each time, and authenticates the key as for any request. So
   * when the session ends or the key stops working, this applies at once, on every gateway.
   * @throws ApiError invalid_api_key if the session has ended, or its key or secret no longer works
   */
  find(token: string): Promise<SignedIn>;
  signOut(signedIn: SignedIn): Promise<void>;
}

export interface SessionsServiceParts {
  sessions: SessionsStore;
  authenticator: Authenticator;
  audit: Pick<AuditStore, 'addOrCount'>;
  /** Runs all or nothing, possibly more than once. */
  transact: (run: () => Promise<void>) => Promise<void>;
  clock: Clock;
}

export function createSessionsService(parts: SessionsServiceParts): SessionsService {
  const { sessions, authenticator, audit, transact, clock } = parts;

  /** `before` and `after` contain the session's end; null means that it has ended. */
  function record(action: AuditAction, { key }: Caller, before: AuditState | undefined, after: AuditState) {
    const actor = { keyId: key.id, role: key.role === 'admin' ? ('admin' as const) : ('owner' as const) };
    const target = { projectId: key.projectId, apiKeyId: key.id };
    return audit.addOrCount({ at: new Date(clock()), actor, action, target, before, after });
  }

  /** Does nothing, and writes no record, if another request ended the session first. */
  async function end({ session, caller }: SignedIn): Promise<void> {
    if (await sessions.remove(session.tokenHash))
      await record('session.signOut', caller, { endsAt: session.endsAt.toISOString() }, { endsAt: null });
  }

  async function find(token: string): Promise<SignedIn> {
    const session = isToken(token) ? await sessions.find(hashToken(token)) : undefined;
    if (session === undefined || isOver(session, clock())) throw sessionOver();
    const secretHash = openHash(session.sealedSecretHash, token);
    const caller = await authenticator.authenticateHash(secretHash).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'invalid_api_key' ? sessionOver() : error;
    });
    if (!SIGN_IN_ROLES.includes(caller.key.role)) throw sessionOver();
    const expiresAt = extensionOf(session, clock());
    if (expiresAt !== undefined) await sessions.extend(session.tokenHash, expiresAt);
    return { session, caller };
  }

  /** A session that has ended need not be ended again. */
  const findEarlier = (token: string) =>
    find(token).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_api_key') return undefined;
      throw error;
    });

  return {
    find,
    async identify(secret) {
      const caller = await authenticator.authenticate(secret);
      const { role } = caller.key;
      if (!SIGN_IN_ROLES.includes(role))
        throw new ApiError(
          'forbidden',
          `Sign in with a key that has the role ${SIGN_IN_ROLES.join(' or ')}. This key has the role ${role}.`,
        );
      return caller;
    },
    async open(caller, secret, earlierToken) {
      const token = createToken();
      const nowMs = clock();
      const session: Session = {
        tokenHash: hashToken(token),
        sealedSecretHash: sealHash(hashSecret(secret), token),
        keyId: caller.key.id,
        createdAt: new Date(nowMs),
        ...endOfNew(nowMs),
      };
      const earlier = earlierToken === undefined ? undefined : await findEarlier(earlierToken);
      await transact(async () => {
        if (earlier !== undefined) await end(earlier);
        await sessions.insert(session);
        await record('session.signIn', caller, undefined, { endsAt: session.endsAt.toISOString() });
      });
      return { token, session, caller };
    },
    signOut: (signedIn) => transact(() => end(signedIn)),
  };
}

function sessionOver(): ApiError {
  return new ApiError('invalid_api_key', 'This session has ended: sign in again.');
}

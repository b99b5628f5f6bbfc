import { createContext } from 'preact';
import { useCallback, useContext } from 'preact/hooks';
import { ApiFailure, isOfOtherSession, sessionChanged } from './api-failure.js';
import type { Document } from './document.js';
import { graphql } from './graphql.js';
import type { Session } from './session.js';

export interface SignedIn {
  session: Session;
  /** Called when the server no longer knows the session: asks for the key again, and returns to this page. */
  expire: () => void;
  /**
   * Switches to the session of the cookie, or to sign-in. Resolves to false if the cookie belongs to this session.
   * @throws ApiFailure
   */
  renew: () => Promise<boolean>;
  /** Returns whether the session has ended. */
  signOut: () => Promise<boolean>;
}

export const SessionContext = createContext<SignedIn | undefined>(undefined);

/** Returns the signed-in session. @throws Error outside the pages that ask for a key */
export function useSession(): SignedIn {
  const signedIn = useContext(SessionContext);
  if (signedIn === undefined) throw new Error('nobody is signed in');
  return signedIn;
}

/** Returns the role of the signed-in key; undefined if nobody is signed in. */
export const useRole = (): Session['role'] | undefined => useContext(SessionContext)?.session.role;

/**
 * Calls `send` with the session's CSRF token. If the session has ended, or the browser has another session now, the
 * page changes too: queries run again, and the user must repeat changes.
 * @throws ApiFailure
 */
export async function inSession<T>(
  { session, expire, renew }: Pick<SignedIn, 'session' | 'expire' | 'renew'>,
  send: (csrfToken: string) => Promise<T>,
): Promise<T> {
  try {
    return await send(session.csrfToken);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status === 401) expire();
    if (isOfOtherSession(error) && (await renew())) throw sessionChanged();
    throw error;
  }
}

export type RunGraphql = <Result, Variables extends object>(
  document: Document<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
) => Promise<Result>;

/** Runs operations in the session, as inSession. */
export function useGraphql(): RunGraphql {
  const signedIn = useSession();
  return useCallback(
    (document, variables, signal) =>
      inSession(signedIn, (csrfToken) => graphql(document, variables, { csrfToken, signal })),
    [signedIn],
  );
}

import { createContext } from 'preact';
import { useCallback, useContext } from 'preact/hooks';
import { ApiFailure, isOfOtherSession, sessionChanged } from './api-failure.js';
import type { Document } from './document.js';
import { graphql } from './graphql.js';
import type { Session } from './session.js';

export interface SignedIn {
  session: Session;
  /** The server no longer knows the session: asks for the key again, and returns to this page. */
  expire: () => void;
  /**
   * Goes over to the session that the cookie is of, or to signing in. False: it is of this one.
   * @throws ApiFailure
   */
  renew: () => Promise<boolean>;
  signOut: () => Promise<void>;
}

export const SessionContext = createContext<SignedIn | undefined>(undefined);

/** Who is signed in. @throws Error outside of the pages that ask for a key */
export function useSession(): SignedIn {
  const signedIn = useContext(SessionContext);
  if (signedIn === undefined) throw new Error('nobody is signed in');
  return signedIn;
}

/**
 * Sends something with the session's CSRF token. When the session is over, or is no longer the one of the browser, the
 * page is told so too: queries are then asked anew, and whatever changes something is for people to try again.
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

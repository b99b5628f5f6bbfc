import { createContext } from 'preact';
import { useCallback, useContext } from 'preact/hooks';
import { ApiFailure } from './api-failure.js';
import type { Document } from './document.js';
import { graphql } from './graphql.js';
import type { Session } from './session.js';

export interface SignedIn {
  session: Session;
  /** The server no longer knows the session: asks for the key again, and returns to this page. */
  expire: () => void;
  signOut: () => Promise<void>;
}

export const SessionContext = createContext<SignedIn | undefined>(undefined);

/** Who is signed in. @throws Error outside of the pages that ask for a key */
export function useSession(): SignedIn {
  const signedIn = useContext(SessionContext);
  if (signedIn === undefined) throw new Error('nobody is signed in');
  return signedIn;
}

export type RunGraphql = <Result, Variables extends object>(
  document: Document<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
) => Promise<Result>;

/** Runs operations in the session. Rejects with an ApiFailure; when the session is over, it is also told so. */
export function useGraphql(): RunGraphql {
  const { session, expire } = useSession();
  return useCallback(
    async (document, variables, signal) => {
      try {
        return await graphql(document, variables, { csrfToken: session.csrfToken, signal });
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401) expire();
        throw error;
      }
    },
    [session, expire],
  );
}

import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../api/api-failure.js';
import { currentSession, signOut, type Session } from '../api/session.js';
import { SessionContext, type SignedIn } from '../api/session-context.js';
import { useAnnounce } from '../components/announcer.js';
import { FailureState } from '../components/states.js';
import { Frame } from './frame.js';
import { SignIn } from './sign-in.js';

type State =
  | { is: 'asking' }
  | { is: 'unreachable'; failure: ApiFailure }
  | { is: 'signed out'; reason?: string }
  | { is: 'signed in'; session: Session };

const EXPIRED = 'Your session has ended. Sign in again to go on where you were.';

/** Whoever is not signed in sees the sign-in page at any address, and then the page of that address. */
export function App() {
  const [state, setState] = useState<State>({ is: 'asking' });
  const announce = useAnnounce();

  const ask = useCallback(async () => {
    setState({ is: 'asking' });
    try {
      const session = await currentSession();
      setState(session === undefined ? { is: 'signed out' } : { is: 'signed in', session });
    } catch (error) {
      setState({ is: 'unreachable', failure: error instanceof ApiFailure ? error : noAnswer() });
    }
  }, []);
  useEffect(() => void ask(), [ask]);

  const session = state.is === 'signed in' ? state.session : undefined;
  const signedIn = useMemo<SignedIn | undefined>(
    () =>
      session && {
        session,
        expire: () => setState({ is: 'signed out', reason: EXPIRED }),
        signOut: async () => {
          try {
            await signOut(session);
            setState({ is: 'signed out', reason: 'You are signed out.' });
          } catch {
            announce('You are still signed in: the gateway did not answer. Try again.');
          }
        },
      },
    [session, announce],
  );

  switch (state.is) {
    case 'asking':
      return null;
    case 'unreachable':
      return (
        <main class="alone">
          <FailureState failure={state.failure} onRetry={() => void ask()} />
        </main>
      );
    case 'signed out':
      return (
        <SignIn reason={state.reason} onSignedIn={(begun) => setState({ is: 'signed in', session: begun })} />
      );
    case 'signed in':
      return (
        <SessionContext.Provider value={signedIn}>
          <Frame />
        </SessionContext.Provider>
      );
  }
}

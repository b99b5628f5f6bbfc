import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import lazy, { ErrorBoundary } from 'preact-iso/lazy';
import { ApiFailure, noAnswer } from '../api/api-failure.js';
import { currentSession, signIn, signOut, type Session } from '../api/session.js';
import { inSession, SessionContext, type SignedIn } from '../api/session-context.js';
import { useAnnounce } from '../components/announcer.js';
import { FailureState } from '../components/states.js';
import { Frame } from './frame.js';
import { SignIn } from './sign-in.js';
import { isLink, takeLink } from './sign-in-link.js';

const Invitation = lazy(() => import('./invitation.js').then((page) => page.Invitation));

type State =
  | { is: 'asking' }
  | { is: 'unreachable'; failure: ApiFailure }
  | { is: 'invited'; invitation: string; current: Session | undefined }
  | { is: 'signed out'; reason: string | undefined }
  | { is: 'signed in'; session: Session };

const EXPIRED = 'Your session has ended. Sign in again to return to this page.';

/** Without a session, every path shows the sign-in page. After sign-in, the page of the path appears. */
export function App() {
  const [state, setState] = useState<State>({ is: 'asking' });
  const announce = useAnnounce();

  const ask = useCallback(async () => {
    setState({ is: 'asking' });
    try {
      setState(await begin(announce));
    } catch (error) {
      setState({ is: 'unreachable', failure: error instanceof ApiFailure ? error : noAnswer() });
    }
  }, [announce]);
  useEffect(() => {
    void ask();
    // A link that is opened in a tab that shows the dashboard already does not load the page.
    const askAgain = () => void (isLink() && ask());
    addEventListener('hashchange', askAgain);
    return () => removeEventListener('hashchange', askAgain);
  }, [ask]);

  const session = state.is === 'signed in' ? state.session : undefined;
  const signedIn = useMemo(() => session && signedInAs(session, setState, announce), [session, announce]);

  switch (state.is) {
    case 'asking':
      return null;
    case 'unreachable':
      return (
        <main class="alone">
          <FailureState failure={state.failure} onRetry={() => void ask()} />
        </main>
      );
    case 'invited':
      return (
        <ErrorBoundary>
          <Invitation
            invitation={state.invitation}
            current={state.current}
            onSignedIn={(begun) => setState({ is: 'signed in', session: begun })}
            onLeave={() => void ask()}
          />
        </ErrorBoundary>
      );
    case 'signed out':
      return (
        <SignIn reason={state.reason} onSignedIn={(begun) => setState({ is: 'signed in', session: begun })} />
      );
    case 'signed in':
      return (
        <SessionContext.Provider value={signedIn}>
          <Frame key={state.session.keyId} />
        </SessionContext.Provider>
      );
  }
}

/** Signs in with the link that opened the page, shows its invitation, or finds the session. @throws ApiFailure */
async function begin(announce: (words: string) => void): Promise<State> {
  const { linkToken, invitation } = takeLink() ?? {};
  // index.html has asked already. Its answer is taken now in any case: it would be out of date later.
  const asking = currentSession();
  asking.catch(() => undefined);
  let reason: string | undefined;
  if (linkToken !== undefined)
    try {
      return { is: 'signed in', session: await signIn({ linkToken }) };
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      reason = error.message;
    }
  const session = await asking;
  if (invitation !== undefined) return { is: 'invited', invitation, current: session };
  if (session === undefined) return { is: 'signed out', reason };
  if (reason !== undefined) announce(`${reason} You are still signed in with the key ${session.keyName}.`);
  return { is: 'signed in', session };
}

function signedInAs(
  session: Session,
  setState: (state: State) => void,
  announce: (words: string) => void,
): SignedIn {
  const expire = () => setState({ is: 'signed out', reason: EXPIRED });

  async function adopt(): Promise<boolean> {
    const now = await currentSession();
    if (now?.csrfToken === session.csrfToken) return false;
    if (now === undefined) expire();
    else {
      setState({ is: 'signed in', session: now });
      if (now.keyId !== session.keyId)
        announce(
          `You signed in with the key ${now.keyName} in another tab, and this page now uses it. A change that you were making here was not saved.`,
        );
    }
    return true;
  }
  /** Requested once, however many requests find the other session at the same time. */
  let adoption: Promise<boolean> | undefined;
  async function renew(): Promise<boolean> {
    try {
      return await (adoption ??= adopt());
    } catch (error) {
      adoption = undefined;
      throw error;
    }
  }

  return {
    session,
    expire,
    renew,
    async signOut() {
      try {
        await inSession({ session, expire, renew }, signOut);
        setState({ is: 'signed out', reason: 'You are signed out.' });
        return true;
      } catch (error) {
        const { message } = error instanceof ApiFailure ? error : noAnswer();
        announce(`You are still signed in. ${message}`);
        return false;
      }
    },
  };
}

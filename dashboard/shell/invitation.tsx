import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../api/api-failure.js';
import { acceptInvitation, findInvited, type Invited, type Session } from '../api/session.js';
import { Button } from '../components/button.js';
import { CopyButton } from '../components/copy-button.js';
import { FailureNotice } from '../components/form.js';
import { Name } from '../components/name.js';
import { Notice } from '../components/notice.js';
import { Skeleton } from '../components/states.js';
import { Until } from '../components/time.js';
import { Brand } from './brand.js';
import { ThemeToggle } from './theme-toggle.js';

export interface InvitationProps {
  invitation: string;
  /** The session of the browser, which ends when the person accepts. */
  current: Session | undefined;
  onSignedIn: (session: Session) => void;
  onLeave: () => void;
}

/**
 * Shows whom the invitation is for. A press accepts it: programs that open links to check them, even in a browser, must
 * not use it up. Then shows the key of the person, which only this page gets.
 */
export function Invitation({ invitation, current, onSignedIn, onLeave }: InvitationProps) {
  const [invited, setInvited] = useState<Invited>();
  const [accepted, setAccepted] = useState<Session & { apiKey: string }>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isBusy, setBusy] = useState(false);

  async function attempt(run: () => Promise<void>) {
    setBusy(true);
    setFailure(undefined);
    try {
      await run();
    } catch (error) {
      setFailure(error instanceof ApiFailure ? error : noAnswer());
    } finally {
      setBusy(false);
    }
  }
  const read = () => attempt(async () => setInvited(await findInvited(invitation)));
  useEffect(() => {
    document.title = 'Invitation · Pets dashboard';
    void read();
  }, [invitation]);

  return (
    <main class="alone">
      <div class="alone-head">
        <Brand />
        <ThemeToggle />
      </div>
      <section class="card" aria-labelledby="invitation">
        {failure !== undefined && <FailureNotice failure={failure} />}
        {accepted !== undefined ? (
          <KeyOfPerson apiKey={accepted.apiKey} onSaved={() => onSignedIn(accepted)} />
        ) : invited !== undefined ? (
          <>
            <h1 id="invitation">
              Welcome, <Name>{invited.name}</Name>
            </h1>
            <p>
              You are invited to manage the animals of <Name>{invited.projectName}</Name>. What you change is
              recorded under your name.
            </p>
            {current !== undefined && (
              <Notice tone="warn">
                This browser is signed in as <Name>{current.keyName}</Name>. If you accept, that session ends.
              </Notice>
            )}
            <div class="actions">
              <Button onPress={onLeave}>Not now</Button>
              <Button
                kind="primary"
                isBusy={isBusy}
                onPress={() => void attempt(async () => setAccepted(await acceptInvitation(invitation)))}
              >
                {isBusy ? 'Accepting…' : 'Accept invitation'}
              </Button>
            </div>
            <p class="quiet small">
              The link works once, until <Until at={invited.expiresAt} />.
            </p>
          </>
        ) : (
          <>
            <h1 id="invitation">Invitation</h1>
            {failure === undefined ? (
              <Skeleton rows={2} />
            ) : (
              <div class="actions">
                <Button onPress={onLeave}>Go to the dashboard</Button>
                <Button isBusy={isBusy} onPress={() => void read()}>
                  Try again
                </Button>
              </div>
            )}
          </>
        )}
      </section>
    </main>
  );
}

/** Shows the key, this once: the gateway keeps only its hash. */
function KeyOfPerson({ apiKey, onSaved }: { apiKey: string; onSaved: () => void }) {
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    shown.current?.focus();
    const askBeforeLeaving = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', askBeforeLeaving);
    return () => removeEventListener('beforeunload', askBeforeLeaving);
  }, []);
  return (
    <>
      <h1 id="invitation">Save your personal key</h1>
      <Notice tone="warn" title="This key is shown only once" isAlert>
        You need it to sign in again. Save it in your password manager. Nobody else knows it: don’t share it.
        If you lose it, ask for a new link.
      </Notice>
      <div class="key-secret">
        <code ref={shown} tabIndex={-1} aria-label="Your personal key">
          {apiKey}
        </code>
        <CopyButton value={apiKey} what="key" hasWord />
      </div>
      <div class="actions">
        <Button kind="primary" onPress={onSaved}>
          I’ve saved my key
        </Button>
      </div>
    </>
  );
}

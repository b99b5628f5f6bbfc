import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../api/api-failure.js';
import { signIn, type Session } from '../api/session.js';
import { Button } from '../components/button.js';
import { CodeBlock } from '../components/calls.js';
import { inputType } from '../components/field.js';
import { FailureNotice } from '../components/form.js';
import { Icon } from '../components/icon.js';
import { Notice } from '../components/notice.js';
import { withCode } from '../components/with-code.js';
import { Brand } from './brand.js';
import { ThemeToggle } from './theme-toggle.js';

const OPEN = 'npx pets-gateway open';
const CREATE_OWNER_KEY = 'npx pets-gateway keys create --role owner --name dashboard';

export interface SignInProps {
  /** Why the user must sign in. */
  reason: string | undefined;
  onSignedIn: (session: Session) => void;
}

/**
 * Asks for the key. Only the input holds it, and the input is cleared when the key is sent: the key is in no state, no
 * storage and no URL.
 */
export function SignIn({ reason, onSignedIn }: SignInProps) {
  const input = useRef<HTMLInputElement>(null);
  const inputId = useId();
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const [isMissing, setMissing] = useState(false);

  useEffect(() => {
    document.title = 'Sign in · Pets dashboard';
    input.current?.focus();
  }, []);

  async function submit() {
    const field = input.current;
    if (field === null || isBusy) return;
    const apiKey = field.value.trim();
    const isEmpty = apiKey.length === 0;
    setMissing(isEmpty);
    setFailure(undefined);
    if (isEmpty) {
      field.focus();
      return;
    }
    field.value = '';
    setShown(false);
    setBusy(true);
    try {
      onSignedIn(await signIn({ apiKey }));
    } catch (error) {
      setFailure(error instanceof ApiFailure ? error : noAnswer());
      setBusy(false);
      field.focus();
    }
  }

  return (
    <main class="alone">
      <div class="alone-head">
        <Brand />
        <ThemeToggle />
      </div>
      <section class="card" aria-labelledby="sign-in">
        <h1 id="sign-in">Sign in</h1>
        <p class="quiet">
          Use your personal key, a project’s owner key or an admin key. The page does not keep the key.
        </p>
        {failure === undefined && reason !== undefined && <Notice>{withCode(reason)}</Notice>}
        {failure !== undefined && <FailureNotice failure={failure} />}
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <div class="field">
            <label class="field-label" for={inputId}>
              API key
            </label>
            <div class="secret">
              <input
                ref={input}
                id={inputId}
                class="input"
                {...inputType(isShown ? 'text' : 'password')}
                placeholder="pets_live_…"
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                required
                aria-invalid={isMissing}
                aria-describedby={isMissing ? `${inputId}-error` : undefined}
              />
              <button
                type="button"
                class="button button-quiet"
                aria-label="Show key"
                aria-pressed={isShown}
                onClick={() => setShown(!isShown)}
              >
                <Icon name="eye" />
              </button>
            </div>
            {isMissing && (
              <p class="field-error" id={`${inputId}-error`} role="alert">
                Enter an API key.
              </p>
            )}
          </div>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {isBusy ? 'Signing in…' : 'Sign in'}
          </Button>
        </form>
      </section>
      <div class="hint">
        <CodeBlock title="On the gateway’s machine: a link that signs in" code={OPEN} />
        <p class="quiet small">
          It signs in with <code>ADMIN_API_KEY</code> or the only admin key. If there are several admin keys
          or none, the command says what to do.
        </p>
      </div>
      <div class="hint">
        <CodeBlock title="On the gateway’s machine: a new owner key" code={CREATE_OWNER_KEY} />
        <p class="quiet small">
          If there are several projects, add <code>--project</code> and the name of yours:{' '}
          <code>npx pets-gateway projects list</code> lists them.
        </p>
      </div>
    </main>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/calls.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { FormDialog, type FormDialogProps } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { Notice } from '../../components/notice.js';
import { firstCall, type IssuedKey } from './first-call.js';

export interface IssueSecretProps<Result, Variables extends object> extends Omit<
  FormDialogProps<Result, Variables>,
  'onDone'
> {
  issuedOf: (result: Result) => IssuedKey;
  /** More information below the secret. */
  note?: (issuedAtMs: number) => ComponentChildren;
  /** Called when the user confirms that the secret is saved; closes the dialog. */
  onSaved: (issued: IssuedKey) => void;
}

/** Shows a form and then the secret that the mutation issues. Only a press on the secret's own button closes it. */
export function IssueSecret<Result, Variables extends object>(props: IssueSecretProps<Result, Variables>) {
  const { issuedOf, note, onSaved, ...form } = props;
  const [shown, setShown] = useState<{ issued: IssuedKey; atMs: number }>();
  if (shown === undefined)
    return (
      <FormDialog {...form} onDone={(result) => setShown({ issued: issuedOf(result), atMs: Date.now() })} />
    );
  return (
    <Dialog title="Save this secret now" isWide isHeld onClose={form.onClose}>
      <SecretShown issued={shown.issued} onSaved={() => onSaved(shown.issued)}>
        {note?.(shown.atMs)}
      </SecretShown>
    </Dialog>
  );
}

interface SecretShownProps {
  issued: IssuedKey;
  children: ComponentChildren;
  onSaved: () => void;
}

/** Shows the secret, this once: the gateway keeps only its hash. */
function SecretShown({ issued, children, onSaved }: SecretShownProps) {
  const { apiKey, secret } = issued;
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.focus(), []);
  useEffect(() => {
    const askBeforeLeaving = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', askBeforeLeaving);
    return () => removeEventListener('beforeunload', askBeforeLeaving);
  }, []);
  return (
    <>
      <Notice tone="warn" title="This secret is shown only once" isAlert>
        Copy the secret of <Name>{apiKey.name}</Name> and save it where your program can read it. The gateway
        stores only a hash. If you lose the secret, rotate the key.
      </Notice>
      <div class="key-secret">
        <code ref={shown} tabIndex={-1} aria-label="Secret">
          {secret}
        </code>
        <CopyButton value={secret} what="secret" hasWord />
      </div>
      <CodeBlock title="Try it" code={firstCall(issued)} />
      {children}
      <div class="actions">
        <Button kind="primary" onPress={onSaved}>
          I’ve saved this key
        </Button>
      </div>
    </>
  );
}

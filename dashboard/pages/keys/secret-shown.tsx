import type { IssuedKey } from './first-call.js';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/calls.js';
import { CopyButton } from '../../components/copy-button.js';
import { Notice } from '../../components/notice.js';
import { firstCall } from './first-call.js';

export interface SecretShownProps {
  issued: IssuedKey;
  /** More information above the button. */
  children?: ComponentChildren;
  /** Called when the user confirms that the secret is saved. */
  onKept: () => void;
}

/** Shows the secret, this once: the gateway keeps only its hash. */
export function SecretShown({ issued, children, onKept }: SecretShownProps) {
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
      <Notice tone="warn" title="It will not be shown again" isAlert>
        Copy the secret of <strong>{apiKey.name}</strong> to where your program reads it. The gateway keeps
        only a hash of it; if it is lost, rotate the key.
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
        <Button kind="primary" onPress={onKept}>
          I have kept it
        </Button>
      </div>
    </>
  );
}

import { useAnnounce } from '../../components/announcer.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { DISABLE_KEY, ENABLE_KEY, type ApiKey } from './key-documents.js';

export interface DisableKeyProps {
  apiKey: ApiKey;
  /** Whether the session uses this key. */
  isOwn: boolean;
  onDone: () => Promise<void>;
  onClose: () => void;
}

/** Pauses a key, until somebody enables it. */
export function DisableKey({ apiKey: { id, name }, isOwn, onDone, onClose }: DisableKeyProps) {
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          Disable <Name>{name}</Name>?
        </>
      }
      action="Disable key"
      document={DISABLE_KEY}
      variables={() => ({ input: { id } })}
      onDone={() => {
        onClose();
        announce(`Disabled ${name}.`);
        void onDone();
      }}
      onClose={onClose}
    >
      <p>
        Every request with this key gets a 401 response until you enable the key. Its secrets, usage and
        history stay, and it keeps its place in the plan.
      </p>
      {isOwn && (
        <p>
          <strong>You are signed in with this key.</strong> Disabling it signs you out. Make sure that you
          have another key that can sign in and enable it.
        </p>
      )}
    </FormDialog>
  );
}

/** Lets a disabled key work again. */
export function EnableKey({ apiKey: { id, name }, onDone, onClose }: Omit<DisableKeyProps, 'isOwn'>) {
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          Enable <Name>{name}</Name>?
        </>
      }
      action="Enable key"
      document={ENABLE_KEY}
      variables={() => ({ input: { id } })}
      onDone={() => {
        onClose();
        announce(`Enabled ${name}.`);
        void onDone();
      }}
      onClose={onClose}
    >
      <p>Requests with its secrets are accepted again, from the next one on.</p>
    </FormDialog>
  );
}

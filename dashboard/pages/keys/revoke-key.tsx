import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { REVOKE_KEY, type ApiKey } from './key-documents.js';

export interface RevokeKeyProps {
  apiKey: ApiKey;
  /** Whether the session uses this key. */
  isOwn: boolean;
  onRevoked: () => Promise<void>;
  onClose: () => void;
}

/** Requires the user to type the key's name: a revoked key cannot be restored. */
export function RevokeKey({ apiKey: { id, name }, isOwn, onRevoked, onClose }: RevokeKeyProps) {
  const [typed, setTyped] = useState('');
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          Revoke <Name>{name}</Name>?
        </>
      }
      action="Revoke key"
      isDangerous
      isReady={typed.trim() === name.trim()}
      document={REVOKE_KEY}
      variables={() => ({ input: { id } })}
      onDone={() => {
        onClose();
        announce(`Revoked ${name}.`);
        void onRevoked();
      }}
      onClose={onClose}
    >
      <p>
        <strong>You can’t undo this.</strong> After you revoke the key, every request with any of its secrets
        gets a 401 response. Give programs that still need access another key first. The key’s usage and
        history stay visible.
      </p>
      {isOwn && (
        <p>
          <strong>You are signed in with this key.</strong> Revoking it signs you out. Make sure that you have
          another key that can sign in.
        </p>
      )}
      <Field
        label={
          <>
            Type “<Name>{name}</Name>” to revoke it
          </>
        }
        name="name"
        value={typed}
        onChange={setTyped}
        takesFocus
      />
    </FormDialog>
  );
}

import { useAnnounce } from '../../components/announcer.js';
import { FormDialog } from '../../components/form-dialog.js';
import { REVOKE_KEY, type ApiKey } from './key-documents.js';

export interface RevokeKeyProps {
  apiKey: ApiKey;
  /** Whether the session uses this key. */
  isOwn: boolean;
  onRevoked: () => Promise<void>;
  onClose: () => void;
}

export function RevokeKey({ apiKey: { id, name }, isOwn, onRevoked, onClose }: RevokeKeyProps) {
  const announce = useAnnounce();
  return (
    <FormDialog
      title={`Revoke ${name}?`}
      action="Revoke the key"
      isDangerous
      document={REVOKE_KEY}
      variables={() => ({ input: { id } })}
      onDone={() => {
        onClose();
        announce(`${name} is revoked.`);
        void onRevoked();
      }}
      onClose={onClose}
    >
      <p>
        Every request with it is answered 401 from now on, with an old secret of it too. This cannot be taken
        back: a program that still needs access needs another key. What was counted stays here to look at.
      </p>
      {isOwn && (
        <p>
          <strong>You are signed in with this key</strong>: revoking it signs you out. Have another key that
          can sign in.
        </p>
      )}
    </FormDialog>
  );
}

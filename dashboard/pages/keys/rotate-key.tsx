import { useState } from 'preact/hooks';
import { useSession } from '../../api/session-context.js';
import { useAnnounce } from '../../components/announcer.js';
import { SelectField } from '../../components/field.js';
import { Name } from '../../components/name.js';
import { Notice } from '../../components/notice.js';
import { DateAndTime } from '../../components/time.js';
import { IssueSecret } from './issue-secret.js';
import { ROTATE_KEY, type ApiKey } from './key-documents.js';

export interface RotateKeyProps {
  apiKey: ApiKey;
  onRotated: () => Promise<void>;
  onClose: () => void;
}

/** Whole seconds. */
type Overlap = '0' | '3600' | '86400' | '604800';

export function RotateKey({ apiKey: { id, name }, onRotated, onClose }: RotateKeyProps) {
  const { session } = useSession();
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const announce = useAnnounce();
  const overlapSeconds = Number(overlap);

  return (
    <IssueSecret
      title={
        <>
          Rotate <Name>{name}</Name>
        </>
      }
      action="Rotate key"
      document={ROTATE_KEY}
      variables={() => ({ input: { id, overlapSeconds } })}
      issuedOf={({ rotateApiKey }) => rotateApiKey}
      note={(rotatedAtMs) => (
        <p>
          {overlapSeconds === 0 ? (
            'The old secret no longer works.'
          ) : (
            <>
              The old secret works until{' '}
              <DateAndTime at={new Date(rotatedAtMs + overlapSeconds * 1000).toISOString()} />.
            </>
          )}
        </p>
      )}
      // Refreshes only now: if the session's own key was rotated, the next response signs the user out.
      onSaved={() => {
        onClose();
        announce(`Rotated ${name}.`);
        void onRotated();
      }}
      onClose={onClose}
    >
      <p>
        The key gets a new secret. Its ID, usage, bans and history stay. While the old secret still works,
        both secrets use the same quota.
      </p>
      <SelectField
        label="Old secret stops working"
        name="overlapSeconds"
        hint={
          overlap === '0'
            ? 'Choose this if the secret has leaked. Programs that still use it get 401 responses at once.'
            : 'Until then, both secrets work, so you can update your programs.'
        }
        value={overlap}
        choices={[
          { value: '0', label: 'Immediately' },
          { value: '3600', label: 'In 1 hour' },
          { value: '86400', label: 'In 24 hours' },
          { value: '604800', label: 'In 7 days' },
        ]}
        onChange={setOverlap}
      />
      {session.keyId === id && (
        <Notice tone="warn" title="You are signed in with this key">
          Your session ends when the old secret stops working. Then sign in again with the new secret.
        </Notice>
      )}
    </IssueSecret>
  );
}

import type { IssuedKey } from './first-call.js';
import { useState } from 'preact/hooks';
import { useSession } from '../../api/session-context.js';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Dialog } from '../../components/dialog.js';
import { SelectField } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { DateAndTime } from '../../components/time.js';
import { ROTATE_KEY, type ApiKey } from './key-documents.js';
import { SecretShown } from './secret-shown.js';

export interface RotateKeyProps {
  apiKey: ApiKey;
  onRotated: () => Promise<void>;
  onClose: () => void;
}

/** Whole seconds. */
type Overlap = '0' | '3600' | '86400' | '604800';

interface Rotated {
  issued: IssuedKey;
  /** When the old secret stops working, by this browser's clock. */
  oldEndsAt: string | undefined;
}

/** Shows a form and then the new secret. Only a press on the secret's own button closes it. */
export function RotateKey({ apiKey, onRotated, onClose }: RotateKeyProps) {
  const [rotated, setRotated] = useState<Rotated>();
  const announce = useAnnounce();

  /**
   * Refreshes only after the secret is closed: if the session's own key was rotated, the next response signs the user
   * out.
   */
  function finish() {
    onClose();
    announce(`${apiKey.name} has a new secret.`);
    void onRotated();
  }

  return (
    <Dialog
      title={rotated === undefined ? `Rotate ${apiKey.name}` : 'Keep the new secret now'}
      isWide={rotated !== undefined}
      isHeld={rotated !== undefined}
      onClose={onClose}
    >
      {rotated === undefined ? (
        <RotateForm id={apiKey.id} onClose={onClose} onRotated={setRotated} />
      ) : (
        <SecretShown issued={rotated.issued} onKept={finish}>
          <p>
            {rotated.oldEndsAt === undefined ? (
              'The old secret is refused from now on.'
            ) : (
              <>
                The old secret works until <DateAndTime at={rotated.oldEndsAt} />.
              </>
            )}
          </p>
        </SecretShown>
      )}
    </Dialog>
  );
}

interface RotateFormProps {
  id: string;
  onRotated: (rotated: Rotated) => void;
  onClose: () => void;
}

function RotateForm({ id, onRotated, onClose }: RotateFormProps) {
  const { session } = useSession();
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const { run, failure, isRunning } = useMutation(ROTATE_KEY);

  async function submit() {
    const overlapSeconds = Number(overlap);
    const result = await run({ input: { id, overlapSeconds } });
    if (result === undefined) return;
    const end = new Date(Date.now() + overlapSeconds * 1000);
    onRotated({
      issued: result.rotateApiKey,
      oldEndsAt: overlapSeconds === 0 ? undefined : end.toISOString(),
    });
  }

  return (
    <Form
      onSubmit={() => void submit()}
      failure={failure}
      fields={['overlapSeconds']}
      action="Rotate"
      isBusy={isRunning}
      onClose={onClose}
    >
      <p>
        The key gets a new secret. Its id, counts, bans and history stay; while the old secret lives on, both
        count in the same quota.
      </p>
      <SelectField
        label="The old secret ends"
        name="overlapSeconds"
        hint={
          overlap === '0'
            ? 'Whoever still uses it is refused at once: for a secret that has leaked.'
            : 'Until then there is time to bring the new one to every program.'
        }
        value={overlap}
        choices={[
          { value: '0', label: 'Now' },
          { value: '3600', label: 'In an hour' },
          { value: '86400', label: 'In 24 hours' },
          { value: '604800', label: 'In 7 days' },
        ]}
        onChange={setOverlap}
        error={failure?.at('overlapSeconds')}
      />
      {session.keyId === id && (
        <Notice tone="warn" title="You are signed in with this key">
          Your session ends with the old secret. Sign in again with the new one.
        </Notice>
      )}
    </Form>
  );
}

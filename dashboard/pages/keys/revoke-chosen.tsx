import { useEffect, useRef, useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useSession } from '../../api/session-context.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { Name } from '../../components/name.js';
import { REVOKE_KEY, type ApiKey } from './key-documents.js';

/** `project`: omitted if all keys are of the project of the page; null for an admin key. */
type ChosenKey = Pick<ApiKey, 'id' | 'name' | 'start' | 'state'> & { project?: { name: string } | null };

export interface RevokeChosenProps {
  keys: readonly ChosenKey[];
  onClear: () => void;
  onRevoked: () => Promise<void>;
}

/** Shows how many keys are chosen, and revokes them. */
export function RevokeChosen({ keys, onClear, onRevoked }: RevokeChosenProps) {
  const [isOpen, setOpen] = useState(false);
  const active = keys.filter(({ state }) => state !== 'revoked');
  if (active.length === 0 && !isOpen) return null;
  return (
    <div class="actions" role="group" aria-label="Selected keys">
      <span>{active.length} selected</span>
      <Button kind="danger" isSmall onPress={() => setOpen(true)}>
        Revoke {countOf(active.length)}
      </Button>
      <Button isSmall onPress={onClear}>
        Clear
      </Button>
      {isOpen && (
        <RevokeDialog keys={active} onClear={onClear} onRevoked={onRevoked} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}

/**
 * Each key is a change of its own, with its record in the audit log. After a failure, the keys that are left stay
 * chosen. Closing the dialog stops before the next key. The session's own key comes last, because it ends the session.
 */
function RevokeDialog({ keys, onClear, onRevoked, onClose }: RevokeChosenProps & { onClose: () => void }) {
  const { session } = useSession();
  const revoke = useMutation(REVOKE_KEY);
  const announce = useAnnounce();
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState<number>();
  const [all] = useState(keys);
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const isOwn = all.some(({ id }) => id === session.keyId);
  const wanted = `revoke ${all.length}`;

  async function submit() {
    const left = keys.toSorted((a, b) => Number(a.id === session.keyId) - Number(b.id === session.keyId));
    let revoked = all.length - left.length;
    setDone(revoked);
    for (const { id } of left) {
      if ((await revoke.run({ input: { id } })) === undefined) {
        setDone(undefined);
        await onRevoked();
        return;
      }
      revoked += 1;
      setDone(revoked);
      if (isGone.current) break;
    }
    if (!isGone.current) {
      onClose();
      onClear();
    }
    announce(
      revoked < all.length
        ? `Stopped. Revoked ${revoked} of ${countOf(all.length)}.`
        : `Revoked ${countOf(all.length)}.`,
    );
    await onRevoked();
  }

  return (
    <Dialog title={`Revoke ${countOf(all.length)}?`} onClose={onClose}>
      <Form
        action={done === undefined ? `Revoke ${countOf(keys.length)}` : `Revoking ${done} of ${all.length}…`}
        isDangerous
        isReady={typed.trim().toLowerCase() === wanted}
        isBusy={done !== undefined}
        failure={revoke.failure}
        onSubmit={() => void submit()}
        onClose={onClose}
      >
        <p>
          <strong>You can’t undo this.</strong> Every request with any secret of these keys gets a 401
          response:
        </p>
        <ul class="chosen-keys">
          {keys.map(({ id, name, start, project }) => (
            <li key={id}>
              <Name>{name}</Name> <span class="quiet mono">{start}…</span>
              {project !== undefined && (
                <div class="quiet small">{project === null ? 'Admin key' : <Name>{project.name}</Name>}</div>
              )}
            </li>
          ))}
        </ul>
        {isOwn && (
          <p>
            <strong>You are signed in with one of them.</strong> Revoking it signs you out.
          </p>
        )}
        <Field
          label={`Type “${wanted}” to revoke them`}
          name="confirm"
          value={typed}
          onChange={setTyped}
          takesFocus
        />
      </Form>
    </Dialog>
  );
}

function countOf(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiFailure } from '../../api/api-failure.js';
import { useAnnounce } from '../../components/announcer.js';
import { Dialog } from '../../components/dialog.js';
import { Form } from '../../components/form.js';
import { Name } from '../../components/name.js';
import { Badge, Notice } from '../../components/notice.js';
import type { PetStatus } from '../../../src/features/pets/pet.js';
import type { Pet } from './animal-documents.js';
import { animals, STATUS_TONES, STATUS_WORDS } from './status-words.js';
import { usePetChanges } from './use-pet-changes.js';

/** An animal as it is now; `was`: as the user saw it, if somebody else changed it in the meantime. */
export interface ToChange {
  pet: Pet;
  was?: Pet;
}

export interface ChangeAnimalsProps {
  animals: readonly ToChange[];
  /** The status that all of them get. */
  to: PetStatus | 'removed';
  onChanged: (pet: Pet) => void;
  onRemoved: (pet: Pet) => void;
  onClose: () => void;
}

/**
 * Changes the status of animals, or removes them, one after the other. Animals that somebody else changed in the meantime
 * stay as they are, and the user decides about them. Closing the dialog stops before the next animal.
 */
export function ChangeAnimals({ animals: chosen, to, onChanged, onRemoved, onClose }: ChangeAnimalsProps) {
  const { update, remove } = usePetChanges();
  const announce = useAnnounce();
  const [left, setLeft] = useState(chosen);
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const done = chosen.length - left.length;

  async function submit() {
    setRunning(true);
    setFailure(undefined);
    const conflicts: ToChange[] = [];
    let rest = left;
    for (const one of left) {
      if (isGone.current) break;
      const outcome = to === 'removed' ? await remove(one.pet) : await update(one.pet, { status: to });
      if (outcome.is === 'failed') {
        setFailure(outcome.failure);
        break;
      }
      rest = rest.slice(1);
      if (outcome.is === 'removed') onRemoved(one.pet);
      else onChanged(outcome.pet);
      if (outcome.is === 'conflict' && outcome.pet.status !== to)
        conflicts.push({ pet: outcome.pet, was: one.pet });
      setLeft([...conflicts, ...rest]);
    }
    setRunning(false);
    const open = conflicts.length + rest.length;
    const changed = chosen.length - open;
    if (open > 0 && !isGone.current) return;
    const isWhole = open === 0;
    const what = isWhole && chosen[0] && chosen.length === 1 ? chosen[0].pet.name : animals(changed);
    const words =
      to === 'removed'
        ? `Removed ${what}.`
        : `${what} ${changed === 1 ? 'is' : 'are'} ${STATUS_WORDS[to]} now.`;
    announce(isWhole ? words : `Stopped. ${words}`);
    if (!isGone.current) onClose();
  }

  const conflicts = left.filter(({ was }) => was !== undefined);
  const [only] = left;
  const what = left.length === 1 && only ? <Name>{only.pet.name}</Name> : animals(left.length);
  return (
    <Dialog
      title={
        to === 'removed' ? (
          <>Remove {what}?</>
        ) : (
          <>
            Mark {what} as {STATUS_WORDS[to]}?
          </>
        )
      }
      onClose={onClose}
    >
      <Form
        action={
          isRunning && chosen.length > 1
            ? `${done} of ${chosen.length} done…`
            : to === 'removed'
              ? `Remove ${left.length === 1 ? 'animal' : animals(left.length)}`
              : `Mark as ${STATUS_WORDS[to]}`
        }
        isDangerous={to === 'removed'}
        isBusy={isRunning}
        failure={failure}
        cancel={conflicts.length > 0 ? 'Leave as it is now' : 'Cancel'}
        onSubmit={() => void submit()}
        onClose={onClose}
      >
        {conflicts.length > 0 && !isRunning && (
          <Notice
            tone="warn"
            isAlert
            title={`Somebody else changed ${conflicts.length === 1 ? 'this animal' : 'these animals'} in the meantime`}
          >
            Nothing was overwritten. Check what it is now, and decide.
          </Notice>
        )}
        {to === 'removed' && (
          <p>
            <strong>You can’t undo this.</strong>{' '}
            {left.length === 1 ? 'The animal disappears' : 'The animals disappear'} from your site and from
            the responses of the API. To keep the record of an adoption, choose the status Adopted instead.
          </p>
        )}
        <ul class="chosen-animals">
          {left.map(({ pet, was }) => (
            <li key={pet.id} class="row">
              {was !== undefined && was.name !== pet.name && (
                <>
                  <del>
                    <Name>{was.name}</Name>
                  </del>{' '}
                  →
                </>
              )}
              <Name>{pet.name}</Name>
              <span class="quiet small">
                ID <span class="mono">{pet.id}</span>
              </span>
              {was !== undefined && was.status !== pet.status && (
                <>
                  <del class="quiet">{STATUS_WORDS[was.status]}</del> →
                </>
              )}
              <Badge tone={STATUS_TONES[pet.status]}>{STATUS_WORDS[pet.status]}</Badge>
              {was !== undefined && was.categoryId !== pet.categoryId && (
                <span>
                  category {was.categoryId} → {pet.categoryId}
                </span>
              )}
            </li>
          ))}
        </ul>
      </Form>
    </Dialog>
  );
}

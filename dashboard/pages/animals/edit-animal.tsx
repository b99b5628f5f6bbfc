import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../api/api-failure.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Form } from '../../components/form.js';
import { Name } from '../../components/name.js';
import { Notice } from '../../components/notice.js';
import { AnimalFields } from './animal-fields.js';
import type { Pet } from './animal-documents.js';
import { STATUS_WORDS } from './status-words.js';
import { PET_FIELDS, usePetChanges, type PetFields } from './use-pet-changes.js';

export interface EditAnimalProps {
  pet: Pet;
  onChanged: (pet: Pet) => void;
  onGone: (pet: Pet) => void;
  onClose: () => void;
}

/** Saves only the fields that the user changed. A change by somebody else in the meantime is shown, not overwritten. */
export function EditAnimal({ pet, onChanged, onGone, onClose }: EditAnimalProps) {
  const { update } = usePetChanges();
  const announce = useAnnounce();
  /** The animal as the user knows it: the base of their changes. */
  const [known, setKnown] = useState(pet);
  const [typed, setTyped] = useState<PetFields>(fieldsOf(pet));
  const [others, setOthers] = useState<Partial<PetFields>>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isBusy, setBusy] = useState(false);

  async function save() {
    const changes = differenceOf(known, typed);
    if (Object.keys(changes).length === 0) {
      onClose();
      return;
    }
    setBusy(true);
    setFailure(undefined);
    setOthers(undefined);
    const outcome = await update(known, changes);
    setBusy(false);
    if (outcome.is === 'failed') setFailure(outcome.failure);
    else if (outcome.is === 'conflict') {
      onChanged(outcome.pet);
      setOthers(differenceOf(known, outcome.pet));
      setKnown(outcome.pet);
    } else if (outcome.is === 'removed') {
      onClose();
      onGone(known);
    } else {
      onClose();
      onChanged(outcome.pet);
      announce(`Saved ${outcome.pet.name}.`);
    }
  }

  return (
    <Dialog
      title={
        <>
          Edit <Name>{pet.name}</Name>
        </>
      }
      onClose={onClose}
    >
      <Form
        action={others === undefined ? 'Save' : 'Save my changes'}
        failure={failure}
        isBusy={isBusy}
        onSubmit={() => void save()}
        onClose={onClose}
      >
        {others !== undefined && (
          <Notice tone="warn" isAlert title="Somebody else changed this animal">
            <p>Your changes are not saved yet. Save or discard them. In the meantime:</p>
            <ul class="changes">
              {others.name !== undefined && (
                <li>
                  the name became <Name>{others.name}</Name>
                </li>
              )}
              {others.categoryId !== undefined && <li>the category became {others.categoryId}</li>}
              {others.status !== undefined && <li>the status became {STATUS_WORDS[others.status]}</li>}
            </ul>
            <Button
              isSmall
              onPress={() => {
                setTyped(fieldsOf(known));
                setOthers(undefined);
              }}
            >
              Discard my changes
            </Button>
          </Notice>
        )}
        <AnimalFields pet={typed} onChange={(changes) => setTyped({ ...typed, ...changes })} />
      </Form>
    </Dialog>
  );
}

function fieldsOf({ name, categoryId, status }: Pet): PetFields {
  return { name, categoryId, status };
}

/** The fields of `after` that differ from `before`. */
function differenceOf(before: PetFields, after: PetFields): Partial<PetFields> {
  return Object.fromEntries(
    PET_FIELDS.filter((field) => before[field] !== after[field]).map((field) => [field, after[field]]),
  );
}

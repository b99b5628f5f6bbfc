import { useRef, useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Calls } from '../../components/calls.js';
import { Dialog } from '../../components/dialog.js';
import { Form } from '../../components/form.js';
import { createCalls, type NewPet } from './animal-calls.js';
import { CREATE_PET, type Pet } from './animal-documents.js';
import { AnimalFields } from './animal-fields.js';
import { animals } from './status-words.js';

export interface AddAnimalProps {
  /** The category of the animal that was added last. */
  categoryId: string;
  /** Called with the current input on every change. */
  onDraft: (pet: NewPet) => void;
  onAdded: (pet: Pet) => void;
  onClose: () => void;
}

/** Adds an animal, or one after the other. The next one starts with the category of the one before. */
export function AddAnimal({ categoryId, onDraft, onAdded, onClose }: AddAnimalProps) {
  const [pet, setPet] = useState<NewPet>({ name: '', categoryId, status: 'available' });
  const [added, setAdded] = useState(0);
  const create = useMutation(CREATE_PET);
  const announce = useAnnounce();
  const fields = useRef<HTMLDivElement>(null);

  function change(changes: Partial<NewPet>) {
    const changed = { ...pet, ...changes };
    setPet(changed);
    onDraft(changed);
  }

  async function add(hasNext: boolean) {
    if (create.isRunning) return;
    const result = await create.run({ input: pet });
    if (result === undefined) return;
    onAdded(result.createPet);
    announce(`Added ${result.createPet.name}.`);
    if (!hasNext) {
      onClose();
      return;
    }
    setAdded(added + 1);
    setPet({ ...pet, name: '', status: 'available' });
    fields.current?.querySelector('input')?.focus();
  }

  return (
    <Dialog title="Add animal" onClose={onClose}>
      <Form
        action="Add animal"
        otherAction={{ label: 'Add another', onPress: () => void add(true) }}
        cancel={added === 0 ? 'Cancel' : 'Close'}
        failure={create.failure}
        isBusy={create.isRunning}
        onSubmit={() => void add(false)}
        onClose={onClose}
      >
        <div
          ref={fields}
          class="form"
          onKeyDown={(event) => {
            // Enter adds one after the other. Only the button "Add animal" closes the dialog.
            if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
            event.preventDefault();
            void add(true);
          }}
        >
          {added > 0 && <p class="quiet">Added {animals(added)}. Enter the next one, or close.</p>}
          <AnimalFields pet={pet} onChange={change} />
        </div>
      </Form>
      <Calls title="API calls behind this form" calls={createCalls(pet)} />
    </Dialog>
  );
}

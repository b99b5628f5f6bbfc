import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { Calls } from '../../components/calls.js';
import { Dialog } from '../../components/dialog.js';
import { Field, SelectField } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { createPetCalls, type NewPet } from './pet-calls.js';
import { CREATE_PET, type Pet } from './pet-documents.js';

export interface AddPetProps {
  /** Called with the current input on every change. */
  onDraft: (pet: NewPet) => void;
  onAdded: (pet: Pet) => void;
  onClose: () => void;
}

const STATUSES = [
  { value: 'available', label: 'Available' },
  { value: 'pending', label: 'Pending' },
  { value: 'sold', label: 'Sold' },
] as const;

export function AddPet({ onDraft, onAdded, onClose }: AddPetProps) {
  const [pet, setPet] = useState<NewPet>({ name: '', categoryId: '', status: 'available' });
  const create = useMutation(CREATE_PET);

  function change(changes: Partial<NewPet>) {
    const changed = { ...pet, ...changes };
    setPet(changed);
    onDraft(changed);
  }

  async function submit() {
    const created = await create.run({ input: pet });
    if (created !== undefined) onAdded(created.createPet);
  }

  const inputs: Record<keyof NewPet, JSX.Element> = {
    name: (
      <Field
        label="Name"
        name="name"
        hint="Kept exactly as it is typed, up to 255 characters."
        value={pet.name}
        onChange={(name) => change({ name })}
        error={create.failure?.at('name')}
        isRequired
        takesFocus
      />
    ),
    categoryId: (
      <Field
        label="Category"
        name="categoryId"
        hint="The number of the animal's category: any int64."
        placeholder="1"
        value={pet.categoryId}
        onChange={(categoryId) => change({ categoryId: categoryId.trim() })}
        error={create.failure?.at('categoryId')}
        isRequired
      />
    ),
    status: (
      <SelectField
        label="Status"
        name="status"
        value={pet.status}
        choices={STATUSES}
        onChange={(status) => change({ status })}
        error={create.failure?.at('status')}
      />
    ),
  };

  return (
    <Dialog title="Add pet" onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        failure={create.failure}
        fields={Object.keys(inputs)}
        action="Add pet"
        isBusy={create.isRunning}
        onClose={onClose}
      >
        {Object.values(inputs)}
      </Form>
      <Calls title="The calls behind this form" calls={createPetCalls(pet)} />
    </Dialog>
  );
}

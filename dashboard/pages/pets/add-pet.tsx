import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Calls } from '../../components/calls.js';
import { Field, SelectField } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
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

  function change(changes: Partial<NewPet>) {
    const changed = { ...pet, ...changes };
    setPet(changed);
    onDraft(changed);
  }

  const inputs: Record<keyof NewPet, JSX.Element> = {
    name: (
      <Field
        label="Name"
        name="name"
        hint="Stored exactly as you type it. Up to 255 characters."
        value={pet.name}
        onChange={(name) => change({ name })}
        isRequired
        takesFocus
      />
    ),
    categoryId: (
      <Field
        label="Category"
        name="categoryId"
        hint="The number of the category. Any int64."
        placeholder="1"
        value={pet.categoryId}
        onChange={(categoryId) => change({ categoryId: categoryId.trim() })}
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
      />
    ),
  };

  return (
    <FormDialog
      title="Add pet"
      action="Add pet"
      document={CREATE_PET}
      variables={() => ({ input: pet })}
      onDone={({ createPet }) => onAdded(createPet)}
      onClose={onClose}
      footer={<Calls title="API calls behind this form" calls={createPetCalls(pet)} />}
    >
      {Object.values(inputs)}
    </FormDialog>
  );
}

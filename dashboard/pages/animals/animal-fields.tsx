import type { JSX } from 'preact';
import { Field, SelectField } from '../../components/field.js';
import { useFieldError } from '../../components/form.js';
import type { NewPet } from './animal-calls.js';
import { STATUS_CHOICES } from './status-words.js';

export interface AnimalFieldsProps {
  pet: NewPet;
  onChange: (changes: Partial<NewPet>) => void;
}

/** The fields of an animal, to add or to edit it. */
export function AnimalFields({ pet, onChange }: AnimalFieldsProps) {
  const isCategoryWrong = useFieldError('categoryId') !== undefined;
  const inputs: Record<keyof NewPet, JSX.Element> = {
    name: (
      <Field
        label="Name"
        name="name"
        hint="Up to 255 characters. Visitors see it exactly as you type it."
        value={pet.name}
        onChange={(name) => onChange({ name })}
        isRequired
        takesFocus
      />
    ),
    categoryId: (
      <Field
        label="Category"
        name="categoryId"
        hint="A number that you choose for each kind of animal, such as 1 for dogs and 2 for cats."
        // The API's message names the limits of int64.
        error={isCategoryWrong ? 'Enter a whole number of at most 18 digits, such as 1.' : undefined}
        value={pet.categoryId}
        onChange={(categoryId) => onChange({ categoryId: categoryId.trim() })}
        isRequired
      />
    ),
    status: (
      <SelectField
        label="Status"
        name="status"
        value={pet.status}
        choices={STATUS_CHOICES}
        onChange={(status) => onChange({ status })}
      />
    ),
  };
  return <>{Object.values(inputs)}</>;
}

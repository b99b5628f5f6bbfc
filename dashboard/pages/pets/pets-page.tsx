import { PET_STATUSES, type PetStatus } from '../../../src/features/pets/pet.js';
import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { SearchField } from '../../components/search-field.js';
import { Page } from '../../shell/page.js';
import { useFilters } from '../../shell/use-filters.js';
import { AddPet } from './add-pet.js';
import { PetById } from './pet-by-id.js';
import { EXAMPLE_PET, type NewPet } from './pet-calls.js';
import { PetList } from './pet-list.js';

const FILTERS = { status: PET_STATUSES, id: 'text' } as const;

const STATUS_CHOICES: readonly { value: PetStatus | ''; label: string }[] = [
  { value: '', label: 'Any' },
  { value: 'available', label: 'Available' },
  { value: 'pending', label: 'Pending' },
  { value: 'sold', label: 'Sold' },
];

/** Shows the pets of the store: list them, find one, add one. */
export default function PetsPage() {
  const { filters, change } = useFilters(FILTERS);
  const [isAdding, setAdding] = useState(false);
  /** The latest input, for the API calls behind the page. */
  const [draft, setDraft] = useState<NewPet>(EXAMPLE_PET);
  const announce = useAnnounce();
  const { id, status } = filters;

  return (
    <Page
      title="Pets"
      description="The animals in the store. All projects share this list. Listing and adding pets here uses the quota of the key that you signed in with."
      actions={
        <Button kind="primary" onPress={() => setAdding(true)}>
          Add pet
        </Button>
      }
    >
      <div class="filters">
        <SelectField
          label="Status"
          name="status"
          value={status ?? ''}
          choices={STATUS_CHOICES}
          onChange={(value) => change({ status: value, id: '' })}
        />
        <SearchField
          label="Find by ID"
          name="id"
          placeholder="42"
          value={id ?? ''}
          onSearch={(text) => change({ id: text.trim(), status: '' })}
        />
      </div>
      {id === undefined ? (
        <PetList status={status} draft={draft} onAdd={() => setAdding(true)} />
      ) : (
        <PetById key={id} id={id} draft={draft} onShowAll={() => change({ id: '' })} />
      )}
      {isAdding && (
        <AddPet
          onDraft={setDraft}
          onClose={() => setAdding(false)}
          onAdded={(pet) => {
            setAdding(false);
            change({ id: pet.id, status: '' });
            announce(`Added ${pet.name} with the ID ${pet.id}.`);
          }}
        />
      )}
    </Page>
  );
}

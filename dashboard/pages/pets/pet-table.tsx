import { Name } from '../../components/name.js';
import type { NewPet, PetStatus } from '../../../src/features/pets/pet.js';
import { Badge, type Tone } from '../../components/notice.js';
import { Table, type Column } from '../../components/table.js';
import type { Pet } from './pet-documents.js';

const TONES: Record<PetStatus, Tone> = { available: 'good', pending: 'warn', sold: 'neutral' };

const COLUMNS: Record<'id' | keyof NewPet, Column<Pet>> = {
  id: { header: 'ID', cell: ({ id }) => <span class="mono">{id}</span> },
  name: { header: 'Name', cell: ({ name }) => <Name>{name}</Name> },
  categoryId: {
    header: 'Category',
    cell: ({ categoryId }) => <span class="mono">{categoryId}</span>,
  },
  status: { header: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
};

export function PetTable({ caption, pets }: { caption: string; pets: readonly Pet[] }) {
  return (
    <div class="pet-table">
      <Table caption={caption} rows={pets} keyOf={({ id }) => id} columns={Object.values(COLUMNS)} />
    </div>
  );
}

import { Badge, type Tone } from '../../components/notice.js';
import { Table } from '../../components/table.js';
import type { Pet, PetStatus } from './pet-documents.js';

const TONES: Record<PetStatus, Tone> = { available: 'good', pending: 'warn', sold: 'neutral' };

export function PetTable({ caption, pets }: { caption: string; pets: readonly Pet[] }) {
  return (
    <div class="pet-table">
      <Table
        caption={caption}
        rows={pets}
        keyOf={({ id }) => id}
        columns={[
          { header: 'Id', cell: ({ id }) => <span class="pet-number">{id}</span> },
          { header: 'Name', cell: ({ name }) => <span class="pet-name">{name}</span> },
          { header: 'Category', cell: ({ categoryId }) => <span class="pet-number">{categoryId}</span> },
          { header: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
        ]}
      />
    </div>
  );
}

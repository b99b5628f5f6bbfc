import { Button } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import { Menu } from '../../components/menu.js';
import { Name } from '../../components/name.js';
import { Badge } from '../../components/notice.js';
import { selectColumn, type Selection } from '../../components/selection.js';
import { Table, type Column } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { PET_STATUSES, type PetStatus } from '../../../src/features/pets/pet.js';
import { addressOf } from '../../shell/addresses.js';
import type { Pet } from './animal-documents.js';
import { STATUS_TONES, STATUS_WORDS } from './status-words.js';

export interface AnimalTableProps {
  caption: string;
  pets: readonly Pet[];
  /** Shows whose each animal is: null for the catalogue of all projects. */
  projectId: string | null;
  /** Whether the signed-in key can change this animal. */
  canChange: (pet: Pet) => boolean;
  /** The animal whose status is being saved. */
  savingId: string | undefined;
  selection: Selection;
  onStatus: (pet: Pet, status: PetStatus) => void;
  onEdit: (pet: Pet) => void;
  onRemove: (pet: Pet) => void;
}

export function AnimalTable(props: AnimalTableProps) {
  const { caption, pets, projectId, canChange, savingId, selection, onStatus, onEdit, onRemove } = props;
  const isAnyMine = pets.some(canChange);
  const columns: Column<Pet>[] = [
    {
      header: 'Name',
      cell: ({ id, name, externalId }) => (
        <div class="named">
          <Name>{name}</Name>
          <span class="quiet small">
            ID <span class="mono">{id}</span>
            {externalId !== null && (
              <>
                {' '}
                · own number <span class="mono">{externalId}</span>
              </>
            )}
          </span>
        </div>
      ),
    },
    {
      header: 'Status',
      cell: (pet) =>
        canChange(pet) ? (
          <StatusMenu pet={pet} isBusy={savingId === pet.id} onStatus={(status) => onStatus(pet, status)} />
        ) : (
          <Badge tone={STATUS_TONES[pet.status]}>{STATUS_WORDS[pet.status]}</Badge>
        ),
    },
    { header: 'Category', cell: ({ categoryId }) => <span class="mono">{categoryId}</span> },
    ...(projectId === null
      ? [
          {
            header: 'Project',
            cell: ({ project }: Pet) => <ProjectOf project={project} isLink={isAnyMine} />,
          },
        ]
      : []),
    { header: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  if (isAnyMine) {
    columns.unshift(selectColumn(selection, canChange));
    columns.push({
      header: 'Actions',
      isHeaderHidden: true,
      cell: (pet) =>
        canChange(pet) && (
          <div class="row-actions">
            <Button isSmall label={`Edit ${pet.name}`} onPress={() => onEdit(pet)}>
              Edit
            </Button>
            <Button isSmall label={`Remove ${pet.name}`} onPress={() => onRemove(pet)}>
              Remove
            </Button>
          </div>
        ),
    });
  }
  return (
    <div class="animal-table">
      <Table caption={caption} rows={pets} keyOf={({ id }) => id} columns={columns} />
    </div>
  );
}

interface StatusMenuProps {
  pet: Pet;
  isBusy: boolean;
  onStatus: (status: PetStatus) => void;
}

function StatusMenu({ pet: { name, status }, isBusy, onStatus }: StatusMenuProps) {
  return (
    <Menu
      label={`Status of ${name}: ${STATUS_WORDS[status]}`}
      look={`status-button badge tone-${STATUS_TONES[status]}`}
      isBusy={isBusy}
      items={PET_STATUSES.map((one) => ({
        label: STATUS_WORDS[one],
        isChosen: one === status,
        onChoose: () => {
          if (one !== status) onStatus(one);
        },
      }))}
    >
      {STATUS_WORDS[status]}
      <Icon name="down" />
    </Menu>
  );
}

function ProjectOf({ project, isLink }: { project: Pet['project']; isLink: boolean }) {
  if (project === null) return <span class="quiet">No project</span>;
  if (!isLink) return <Name>{project.name}</Name>;
  return (
    <a href={addressOf.animals(project.id)}>
      <Name>{project.name}</Name>
    </a>
  );
}

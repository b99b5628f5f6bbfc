import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../api/api-failure.js';
import { useSession } from '../../api/session-context.js';
import { usePages } from '../../api/use-pages.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { FailureNotice } from '../../components/form.js';
import { Pager } from '../../components/pager.js';
import { useSelection } from '../../components/selection.js';
import { Empty, Loaded } from '../../components/states.js';
import { PET_STATUSES, type PetStatus } from '../../../src/features/pets/pet.js';
import { addressOf } from '../../shell/addresses.js';
import { FilterBar } from '../../shell/filter-bar.js';
import { useFilters, type Filters } from '../../shell/use-filters.js';
import { AddAnimal } from './add-animal.js';
import { changeCalls, createCalls, EXAMPLE_PET, listCalls, type NewPet } from './animal-calls.js';
import type { Pet } from './animal-documents.js';
import { AnimalTable } from './animal-table.js';
import { ChangeAnimals, type ToChange } from './change-animals.js';
import { ChosenAnimals } from './chosen-animals.js';
import { EditAnimal } from './edit-animal.js';
import { animals, STATUS_CHOICES, STATUS_WORDS } from './status-words.js';
import { useAnimals } from './use-animals.js';
import { usePetChanges } from './use-pet-changes.js';

export interface AnimalListProps {
  /** Null for the catalogue of all projects. */
  projectId: string | null;
  canChange: (pet: Pet) => boolean;
  /** Whether the dialog to add an animal is open. */
  isAdding: boolean;
  /** Undefined if the signed-in key cannot add animals here. */
  onAdd: (() => void) | undefined;
  onAddClose: () => void;
}

const PAGE_SIZE = 20;
const NO_PAGES = { hasNextPage: false, endCursor: null };
const FILTERS = { name: 'text', status: PET_STATUSES, category: 'text', number: 'text', id: 'text' } as const;
/** Own numbers are unique only within a project. */
const CATALOGUE_FILTERS = { ...FILTERS, number: [] } as const;

type OpenDialog =
  { is: 'edit'; pet: Pet } | { is: 'change'; animals: readonly ToChange[]; to: PetStatus | 'removed' };

/** The newest animals first, with everything that people do with them. */
export function AnimalList({ projectId, canChange, isAdding, onAdd, onAddClose }: AnimalListProps) {
  const { session } = useSession();
  const { filters, change } = useFilters(projectId === null ? CATALOGUE_FILTERS : FILTERS);
  const pages = usePages(JSON.stringify(filters));
  const variables = { filter: filterOf(projectId, filters), first: PAGE_SIZE, after: pages.after };
  const { query, found, patch } = useAnimals(variables, filters.id?.trim());
  const selection = useSelection();
  const { update } = usePetChanges();
  const announce = useAnnounce();
  const [open, setOpen] = useState<OpenDialog>();
  const [savingId, setSavingId] = useState<string>();
  const [failure, setFailure] = useState<ApiFailure>();
  /** The latest input, for the API calls behind the page. */
  const [draft, setDraft] = useState<NewPet>(EXAMPLE_PET);
  const [latestCategory, setLatestCategory] = useState('');
  const close = () => setOpen(undefined);
  const isFiltering = Object.values(filters).some((value) => value !== undefined);
  const clearFilters = () => change({ name: '', status: '', category: '', number: '', id: '' });
  const { pets = [], totalCount = null, pageInfo = NO_PAGES } = found ?? {};
  const isNothingShown = pets.length === 0 && pages.number === 1 && !pageInfo.hasNextPage;
  // The fields of the filters look like a form to add an animal.
  const canFilter = found === undefined || isFiltering || !isNothingShown;

  const showChanged = (pet: Pet) => patch((shown) => shown.map((one) => (one.id === pet.id ? pet : one)));
  const showRemoved = ({ id }: Pet) => patch((shown) => shown.filter((one) => one.id !== id), -1);
  function showGone(pet: Pet) {
    showRemoved(pet);
    announce(`Somebody else removed ${pet.name} in the meantime.`);
  }
  function showAdded(pet: Pet) {
    setLatestCategory(pet.categoryId);
    // The first page of all animals starts with the newest.
    if (isFiltering || pages.number > 1) {
      clearFilters();
      pages.reset();
    } else patch((shown) => [pet, ...shown], 1);
  }

  async function saveStatus(pet: Pet, status: PetStatus) {
    setSavingId(pet.id);
    setFailure(undefined);
    const outcome = await update(pet, { status });
    setSavingId(undefined);
    if (outcome.is === 'failed') setFailure(outcome.failure);
    else if (outcome.is === 'removed') showGone(pet);
    else {
      showChanged(outcome.pet);
      if (outcome.is === 'conflict' && outcome.pet.status !== status)
        setOpen({ is: 'change', animals: [{ pet: outcome.pet, was: pet }], to: status });
      else announce(`${pet.name} is ${STATUS_WORDS[status]} now.`);
    }
  }

  return (
    <>
      {canFilter && (
        <FilterBar
          label="Animals"
          filters={filters}
          onChange={change}
          fields={[
            { name: 'name', label: 'Name' },
            { name: 'status', label: 'Status', choices: [{ value: '', label: 'Any' }, ...STATUS_CHOICES] },
            { name: 'category', label: 'Category', isShort: true },
            ...(projectId === null ? [] : [{ name: 'number', label: 'Own number' } as const]),
            { name: 'id', label: 'ID', isShort: true },
          ]}
        />
      )}
      <Card>
        {failure !== undefined && <FailureNotice failure={failure} />}
        <Loaded query={query} skeletonRows={8}>
          {() =>
            isNothingShown ? (
              isFiltering ? (
                <Empty
                  title="No animals match these filters"
                  action={<Button onPress={clearFilters}>Clear filters</Button>}
                >
                  {filters.number === undefined
                    ? 'Try another part of the name, another status or another number.'
                    : 'Enter the whole own number, as your shelter’s software writes it, or clear the other filters.'}
                </Empty>
              ) : (
                <Empty
                  title="No animals yet"
                  action={
                    <div class="row">
                      {onAdd !== undefined && (
                        <Button kind="primary" onPress={onAdd}>
                          Add animal
                        </Button>
                      )}
                      {projectId !== null && (
                        <ButtonLink href={addressOf.importOf(projectId)}>Import a file</ButtonLink>
                      )}
                    </div>
                  }
                >
                  Add them one by one, or import a file from your shelter’s software. They appear in the
                  responses of the API at once, and on your site if you have one.
                </Empty>
              )
            ) : (
              <>
                <ChosenAnimals
                  pets={pets.filter(canChange)}
                  selection={selection}
                  count={countOf(totalCount, isFiltering)}
                  onChoose={(chosen, to) =>
                    setOpen({ is: 'change', animals: chosen.map((pet) => ({ pet })), to })
                  }
                />
                {pets.length > 0 && (
                  <AnimalTable
                    caption={isFiltering ? 'Animals that match' : 'Animals'}
                    pets={pets}
                    projectId={projectId}
                    canChange={canChange}
                    savingId={savingId}
                    selection={selection}
                    onStatus={(pet, status) => void saveStatus(pet, status)}
                    onEdit={(pet) => setOpen({ is: 'edit', pet })}
                    onRemove={(pet) => setOpen({ is: 'change', animals: [{ pet }], to: 'removed' })}
                  />
                )}
                {pets.length === 0 && (
                  <p>
                    {pageInfo.hasNextPage
                      ? 'None of the animals searched so far match. Choose Next to search on.'
                      : 'There are no more animals.'}
                  </p>
                )}
                <Pager
                  pages={pages}
                  pageInfo={pageInfo}
                  what="animals"
                  count={totalCount === null ? undefined : Math.ceil(totalCount / PAGE_SIZE)}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      <Calls
        calls={[
          ...listCalls(variables, projectId !== null && projectId === session.projectId),
          ...createCalls(draft),
          ...changeCalls(pets.find(canChange) ?? { ...EXAMPLE_PET, id: '42' }),
        ]}
      />
      {isAdding && (
        <AddAnimal categoryId={latestCategory} onDraft={setDraft} onAdded={showAdded} onClose={onAddClose} />
      )}
      {open?.is === 'edit' && (
        <EditAnimal pet={open.pet} onChanged={showChanged} onGone={showGone} onClose={close} />
      )}
      {open?.is === 'change' && (
        <ChangeAnimals
          animals={open.animals}
          to={open.to}
          onChanged={showChanged}
          onRemoved={showRemoved}
          onClose={close}
        />
      )}
    </>
  );
}

function filterOf(projectId: string | null, filters: Filters<typeof FILTERS>) {
  const { name: nameContains, status, category, number } = filters;
  return {
    projectId: projectId ?? undefined,
    nameContains,
    status,
    categoryId: category?.trim(),
    externalId: number?.trim(),
  };
}

/** Null is a count that the API does not know: there are too many. */
function countOf(totalCount: number | null, isFiltering: boolean): string {
  if (totalCount === null) return isFiltering ? 'Many animals match' : 'Many animals';
  return isFiltering ? `${animals(totalCount)} match${totalCount === 1 ? 'es' : ''}` : animals(totalCount);
}

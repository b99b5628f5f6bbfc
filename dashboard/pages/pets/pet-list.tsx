import type { PetStatus } from '../../../src/features/pets/pet.js';
import { usePages } from '../../api/use-pages.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { Pager } from '../../components/pager.js';
import { Empty, Loaded } from '../../components/states.js';
import { createPetCalls, listPetsCalls, type NewPet } from './pet-calls.js';
import { PETS } from './pet-documents.js';
import { PetTable } from './pet-table.js';

export interface PetListProps {
  status: PetStatus | undefined;
  draft: NewPet;
  onAdd: () => void;
}

const PAGE_SIZE = 20;

/** Shows all pets, or those with one status, in pages. */
export function PetList({ status, draft, onAdd }: PetListProps) {
  const pages = usePages(status);
  const variables = { first: PAGE_SIZE, after: pages.after, status };
  const query = useQuery(PETS, variables);
  return (
    <>
      <Card>
        <Loaded query={query} skeletonRows={8}>
          {({ petsConnection: { edges, pageInfo } }) =>
            edges.length === 0 ? (
              <Empty
                title={status === undefined ? 'No pets yet' : `No pets are ${status}`}
                action={<Button onPress={onAdd}>Add pet</Button>}
              >
                Pets that you add here appear in every project’s site and in the responses of both interfaces.
              </Empty>
            ) : (
              <>
                <PetTable
                  caption={status === undefined ? 'Pets' : `Pets that are ${status}`}
                  pets={edges.map(({ node }) => node)}
                />
                <Pager pages={pages} pageInfo={pageInfo} what="pets" />
              </>
            )
          }
        </Loaded>
      </Card>
      <Calls calls={[...listPetsCalls(variables), ...createPetCalls(draft)]} />
    </>
  );
}

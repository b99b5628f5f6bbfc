import { curlOf } from '../../api/curl.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { Notice } from '../../components/notice.js';
import { Empty, Loaded } from '../../components/states.js';
import { createPetCalls, type NewPet } from './pet-calls.js';
import { PETS_BY_IDS } from './pet-documents.js';
import { PetTable } from './pet-table.js';

export interface PetByIdProps {
  id: string;
  draft: NewPet;
  onShowAll: () => void;
}

export function PetById({ id, draft, onShowAll }: PetByIdProps) {
  const variables = { ids: [id] };
  const query = useQuery(PETS_BY_IDS, variables);
  const fault = query.failure?.at('ids[0]');
  const showAll = <Button onPress={onShowAll}>Show all pets</Button>;
  return (
    <>
      <Card title={`Pet ${id}`} actions={showAll}>
        {fault === undefined ? (
          <Loaded query={query} skeletonRows={1}>
            {({ petsByIds: [pet] }) =>
              pet ? (
                <PetTable caption={`Pet ${id}`} pets={[pet]} />
              ) : (
                <Empty title="Pet not found">No pet has the ID {id}.</Empty>
              )
            }
          </Loaded>
        ) : (
          <Notice tone="bad" isAlert title="Not a valid pet ID">
            {fault}
          </Notice>
        )}
      </Card>
      <Calls
        calls={[
          { title: 'Look up a pet over GraphQL', code: curlOf(PETS_BY_IDS, variables) },
          ...createPetCalls(draft),
        ]}
      />
    </>
  );
}

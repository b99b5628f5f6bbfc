import type { NewPet as StoredNewPet, Pet as StoredPet, PetStatus } from '../../../src/features/pets/pet.js';
import { gql } from '../../api/document.js';
import type { PageInfo } from '../../api/use-pages.js';

/** The type in GraphQL: an int64 is a string, because a JavaScript number cannot hold every int64. */
type InGraphQL<T> = { [Field in keyof Required<T>]: T[Field] extends bigint ? string : T[Field] };

export type Pet = InGraphQL<StoredPet>;
export type NewPet = InGraphQL<StoredNewPet>;

const PET_FIELDS = `
  fragment PetFields on Pet {
    id
    name
    categoryId
    status
  }
`;

export interface PetsVariables {
  first: number;
  after: string | null;
  status?: PetStatus | undefined;
}

export const PETS = gql<{ petsConnection: { edges: { node: Pet }[]; pageInfo: PageInfo } }, PetsVariables>`
  query Pets($first: Int, $after: String, $status: PetStatus) {
    petsConnection(first: $first, after: $after, status: $status) {
      edges {
        node {
          ...PetFields
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
  ${PET_FIELDS}
`;

export const PETS_BY_IDS = gql<{ petsByIds: (Pet | null)[] }, { ids: string[] }>`
  query PetsByIds($ids: [Int64!]!) {
    petsByIds(ids: $ids) {
      ...PetFields
    }
  }
  ${PET_FIELDS}
`;

export const CREATE_PET = gql<{ createPet: Pet }, { input: NewPet }>`
  mutation CreatePet($input: NewPet!) {
    createPet(input: $input) {
      ...PetFields
    }
  }
  ${PET_FIELDS}
`;

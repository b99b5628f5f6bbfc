import { gql } from '../../api/document.js';
import type { PageInfo } from '../../api/use-pages.js';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** Its numbers are int64: texts, since a number of JavaScript does not hold them all. */
export interface Pet {
  id: string;
  name: string;
  categoryId: string;
  status: PetStatus;
}

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

export interface NewPet {
  name: string;
  categoryId: string;
  status: PetStatus;
}

export const CREATE_PET = gql<{ createPet: Pet }, { input: NewPet }>`
  mutation CreatePet($input: NewPet!) {
    createPet(input: $input) {
      ...PetFields
    }
  }
  ${PET_FIELDS}
`;

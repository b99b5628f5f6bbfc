// Made from pet-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { NewPet, PetStatus } from '../../api/schema-types.js';

export interface Pet {
  id: string;
  name: string;
  categoryId: string;
  status: PetStatus;
}

export interface PetsResult {
  petsConnection: { edges: { node: Pet }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface PetsVariables {
  first?: number | null | undefined;
  after?: string | null | undefined;
  status?: PetStatus | null | undefined;
}

export const PETS: Document<PetsResult, PetsVariables> = {
  text: 'query Pets($first: Int, $after: String, $status: PetStatus) { petsConnection(first: $first, after: $after, status: $status) { edges { node { ...Pet } } pageInfo { hasNextPage endCursor } } } fragment Pet on Pet { id name categoryId status }',
};

export interface PetsByIdsResult {
  petsByIds: (Pet | null)[];
}

export interface PetsByIdsVariables {
  ids: string[];
}

export const PETS_BY_IDS: Document<PetsByIdsResult, PetsByIdsVariables> = {
  text: 'query PetsByIds($ids: [Int64!]!) { petsByIds(ids: $ids) { ...Pet } } fragment Pet on Pet { id name categoryId status }',
};

export interface CreatePetResult {
  createPet: Pet;
}

export interface CreatePetVariables {
  input: NewPet;
}

export const CREATE_PET: Document<CreatePetResult, CreatePetVariables> = {
  text: 'mutation CreatePet($input: NewPet!) { createPet(input: $input) { ...Pet } } fragment Pet on Pet { id name categoryId status }',
};

// Made from animal-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { DeletePetInput, DeleteProjectPetsInput, NewPet, PetFilter, PetStatus, UpdatePetInput } from '../../api/schema-types.js';

export interface Pet {
  id: string;
  name: string;
  categoryId: string;
  status: PetStatus;
  createdAt: string;
  externalId: string | null;
  project: { id: string; name: string } | null;
}

export interface AnimalsProjectResult {
  project: { id: string; name: string; site: { url: string } | null; liveDeploy: { id: string } | null } | null;
}

export interface AnimalsProjectVariables {
  id: string;
}

export const ANIMALS_PROJECT: Document<AnimalsProjectResult, AnimalsProjectVariables> = {
  text: 'query AnimalsProject($id: ID!) { project(id: $id) { id name site { url } liveDeploy { id } } }',
};

export interface AnimalsResult {
  petsConnection: { totalCount: number | null; edges: { node: Pet }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface AnimalsVariables {
  filter?: PetFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}

export const ANIMALS: Document<AnimalsResult, AnimalsVariables> = {
  text: 'query Animals($filter: PetFilter, $first: Int, $after: String) { petsConnection(filter: $filter, orderBy: newest, first: $first, after: $after) { totalCount edges { node { ...Pet } } pageInfo { hasNextPage endCursor } } } fragment Pet on Pet { id name categoryId status createdAt externalId project { id name } }',
};

export interface AnimalsByIdResult {
  petsByIds: (Pet | null)[];
}

export interface AnimalsByIdVariables {
  ids: string[];
}

export const ANIMALS_BY_ID: Document<AnimalsByIdResult, AnimalsByIdVariables> = {
  text: 'query AnimalsById($ids: [Int64!]!) { petsByIds(ids: $ids) { ...Pet } } fragment Pet on Pet { id name categoryId status createdAt externalId project { id name } }',
};

export interface CreatePetResult {
  createPet: Pet;
}

export interface CreatePetVariables {
  input: NewPet;
}

export const CREATE_PET: Document<CreatePetResult, CreatePetVariables> = {
  text: 'mutation CreatePet($input: NewPet!) { createPet(input: $input) { ...Pet } } fragment Pet on Pet { id name categoryId status createdAt externalId project { id name } }',
};

export interface UpdatePetResult {
  updatePet: { pet: Pet };
}

export interface UpdatePetVariables {
  input: UpdatePetInput;
}

export const UPDATE_PET: Document<UpdatePetResult, UpdatePetVariables> = {
  text: 'mutation UpdatePet($input: UpdatePetInput!) { updatePet(input: $input) { pet { ...Pet } } } fragment Pet on Pet { id name categoryId status createdAt externalId project { id name } }',
};

export interface DeletePetResult {
  deletePet: { deletedPetId: string };
}

export interface DeletePetVariables {
  input: DeletePetInput;
}

export const DELETE_PET: Document<DeletePetResult, DeletePetVariables> = {
  text: 'mutation DeletePet($input: DeletePetInput!) { deletePet(input: $input) { deletedPetId } }',
};

export interface DeleteProjectPetsResult {
  deleteProjectPets: { deletedCount: number };
}

export interface DeleteProjectPetsVariables {
  input: DeleteProjectPetsInput;
}

export const DELETE_PROJECT_PETS: Document<DeleteProjectPetsResult, DeleteProjectPetsVariables> = {
  text: 'mutation DeleteProjectPets($input: DeleteProjectPetsInput!) { deleteProjectPets(input: $input) { deletedCount } }',
};

// Made from import-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../../api/document.js';
import type { CreatePetsImportInput, PetsImportState, StartPetsImportInput } from '../../../api/schema-types.js';

export interface PetsImport {
  id: string;
  state: PetsImportState;
  lines: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  rejected: number;
  rejectedLines: { line: number; reason: string }[];
  notRemovedReason: string | null;
  problem: string | null;
}

export interface PetsImportByIdResult {
  petsImport: PetsImport | null;
}

export interface PetsImportByIdVariables {
  id: string;
}

export const PETS_IMPORT_BY_ID: Document<PetsImportByIdResult, PetsImportByIdVariables> = {
  text: 'query PetsImportById($id: ID!) { petsImport(id: $id) { ...PetsImport } } fragment PetsImport on PetsImport { id state lines added changed unchanged removed rejected rejectedLines { line reason } notRemovedReason problem }',
};

export interface CreatePetsImportResult {
  createPetsImport: { petsImport: PetsImport; uploadUrl: string };
}

export interface CreatePetsImportVariables {
  input: CreatePetsImportInput;
}

export const CREATE_PETS_IMPORT: Document<CreatePetsImportResult, CreatePetsImportVariables> = {
  text: 'mutation CreatePetsImport($input: CreatePetsImportInput!) { createPetsImport(input: $input) { petsImport { ...PetsImport } uploadUrl } } fragment PetsImport on PetsImport { id state lines added changed unchanged removed rejected rejectedLines { line reason } notRemovedReason problem }',
};

export interface StartPetsImportResult {
  startPetsImport: { petsImport: PetsImport };
}

export interface StartPetsImportVariables {
  input: StartPetsImportInput;
}

export const START_PETS_IMPORT: Document<StartPetsImportResult, StartPetsImportVariables> = {
  text: 'mutation StartPetsImport($input: StartPetsImportInput!) { startPetsImport(input: $input) { petsImport { ...PetsImport } } } fragment PetsImport on PetsImport { id state lines added changed unchanged removed rejected rejectedLines { line reason } notRemovedReason problem }',
};

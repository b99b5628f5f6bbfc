import type { mongo } from 'mongoose';
import { fieldsOf, type Pet, type Whole } from './pet.js';
import type { PetChanges } from './pet-change.js';
import { searchKeysOf } from './name-search.js';

export interface PetDocument extends Omit<Pet, 'id'> {
  _id: bigint;
  /** See name-search.ts. Reads leave it out. */
  search?: string[] | undefined;
  /** The write that changed the pet last: see mongo-pet-updates.ts. Reads leave it out. */
  changedIn?: mongo.ObjectId | undefined;
}

/** The projection of reads. */
export const FIELDS = {
  name: 1,
  categoryId: 1,
  status: 1,
  projectId: 1,
  externalId: 1,
  createdAt: 1,
} as const;

/** What an update sets. */
export function toUpdate(changes: PetChanges): Partial<PetDocument> {
  return { ...changes, ...(changes.name !== undefined && { search: searchKeysOf(changes.name) }) };
}

export function toPet({ _id, name, categoryId, status, projectId, externalId, createdAt }: PetDocument): Pet {
  return { id: _id, name, categoryId, status, projectId, externalId, createdAt } satisfies Whole<Pet>;
}

export function toDocument({ id, ...fields }: Pet): PetDocument {
  const { name, categoryId, status, projectId, externalId, createdAt } = fields;
  const search = searchKeysOf(name);
  return {
    _id: id,
    name,
    categoryId,
    status,
    projectId,
    externalId,
    createdAt,
    search,
  } satisfies Whole<Omit<PetDocument, 'changedIn'>>;
}

/** Finds the pet if nothing has changed it since it was read. */
export function asRead({ id, projectId, ...pet }: Pet): mongo.Filter<PetDocument> {
  // null: there is no such field.
  return { _id: id, ...fieldsOf(pet), projectId: projectId ?? (null as never) };
}

import { isSamePet, type Pet } from '../pet.js';
import { PetExists, type PetsStore } from '../pets-store.js';
import type { ImportCounts } from './imports-store.js';
import type { ParsedLine } from './parse-line.js';

/** A line that is not a pet, or whose pet cannot be imported. */
export interface Rejection {
  /** Starts at 1. */
  line: number;
  reason: string;
}

export interface LinesToInsert {
  lines: readonly ParsedLine[];
  firstLine: number;
  /** The first of the consecutive ids for pets without their own id. */
  firstId: bigint;
  /** Lines' own ids up to this one may have been reserved for other pets. */
  idsAbove: bigint;
  /** The time of creation of the inserted pets. */
  createdAt: Date;
  /** The project that the inserted pets belong to; undefined: none. */
  projectId?: string | undefined;
}

export interface Inserted {
  counts: ImportCounts;
  rejections: Rejection[];
}

interface Candidate {
  line: number;
  pet: Pet;
  hasOwnId: boolean;
}

/**
 * Inserts the pets of some lines. Idempotent: a second call uses the same ids, and existing pets stay unchanged.
 * @throws errors from the store if the outcome is unknown
 */
export async function insertLines(
  { lines, firstLine, firstId, idsAbove, createdAt, projectId }: LinesToInsert,
  pets: Pick<PetsStore, 'insertEach' | 'getMany'>,
): Promise<Inserted> {
  const rejections: Rejection[] = [];
  const candidates: Candidate[] = [];
  let nextId = firstId;
  lines.forEach((parsed, i) => {
    const line = firstLine + i;
    if (parsed.kind === 'rejected') rejections.push({ line, reason: parsed.reason });
    if (parsed.kind !== 'pet') return;
    const { id: ownId, pet: newPet } = parsed;
    const { name, categoryId, status } = newPet;
    // Copied field by field: a spread costs as much as everything else here.
    const pet = { id: ownId ?? nextId++, name, categoryId, status, projectId, createdAt };
    candidates.push({ line, pet, hasOwnId: ownId !== undefined });
  });

  const isOurs = ({ hasOwnId, pet }: Candidate) => !hasOwnId || pet.id > idsAbove;
  const wanted = candidates.filter(isOurs);
  const outcomes = await pets.insertEach(wanted.map(({ pet }) => pet));
  const doubtful = candidates.filter((candidate) => !isOurs(candidate));
  wanted.forEach((candidate, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) return;
    if (!(outcome instanceof PetExists)) throw outcome;
    // An id of this import: the pet was inserted before the import was interrupted.
    if (candidate.hasOwnId) doubtful.push(candidate);
  });

  const there = doubtful.length === 0 ? [] : await pets.getMany(doubtful.map(({ pet }) => pet.id));
  let unchanged = 0;
  doubtful.forEach(({ line, pet }, i) => {
    const reason = differenceOf(pet, there[i]);
    if (reason === undefined) unchanged += 1;
    else rejections.push({ line, reason });
  });
  rejections.sort((a, b) => a.line - b.line);
  const counts = {
    imported: candidates.length - doubtful.length,
    unchanged,
    rejected: rejections.length,
  };
  return { counts, rejections };
}

function differenceOf(pet: Pet, there: Pet | undefined): string | undefined {
  if (there === undefined)
    return `id: ${pet.id} may be reserved for a pet that is being created; omit the id to get a new one`;
  return isSamePet(there, pet) ? undefined : `id: another pet has the id ${pet.id}`;
}

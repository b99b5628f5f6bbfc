import { PET_FIELDS, type Pet, type Whole } from '../pet.js';
import { PetExists, type PetsStore } from '../pets-store.js';
import type { ImportCounts } from './import-record.js';
import type { ParsedLine } from './parse-line.js';

/** A line that is no pet, or none that can be imported. */
export interface Rejection {
  /** From 1. */
  line: number;
  reason: string;
}

export interface LinesToInsert {
  lines: readonly ParsedLine[];
  firstLine: number;
  /** Of the pets without an id of their own, which get ids in a row. */
  firstId: bigint;
  /** Ids of their own up to this one may have been promised to other pets. */
  idsAbove: bigint;
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
 * Inserts the pets of some lines. To do it twice does no harm: the ids are the same again, and a pet that is there
 * stays as it is.
 * @throws what the store throws when it is not known what became of them
 */
export async function insertLines(
  { lines, firstLine, firstId, idsAbove }: LinesToInsert,
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
    // Member by member: to spread costs as much as all else here.
    const pet = { id: ownId ?? nextId++, name, categoryId, status } satisfies Whole<Pet>;
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
    // One of ours: it was inserted before the import was interrupted.
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
    return `id: ${pet.id} may be promised to a pet that is being added; leave the id out for a new one`;
  const isSame = PET_FIELDS.every((field) => there[field] === pet[field]);
  return isSame ? undefined : `id: there is another pet with the id ${pet.id}`;
}

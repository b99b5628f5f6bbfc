import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FileFormat } from '../../features/synchronization/pets-import.js';
import { PET_FIELDS } from '../../features/pets/pet.js';
import { exactCsvLine } from '../../lib/csv.js';
import type { PetsBackend, PetsList, ShownPet } from './pets-backend.js';

type ReadPets = Pick<PetsBackend, 'page' | 'maxPage'>;

const HEADER = ['externalId', ...PET_FIELDS, 'id'] as const;

/**
 * Writes animals with their numbers, as `pets import` reads them. A file must not exist.
 * @param path undefined: standard output
 */
export async function exportProject(
  backend: ReadPets,
  list: PetsList,
  format: FileFormat,
  path: string | undefined,
): Promise<void> {
  const texts = textsOf(backend, list, format);
  if (path !== undefined) {
    await pipeline(texts, createWriteStream(path, { flags: 'wx' }));
    return;
  }
  // Not `pipeline`, which leaves a listener on standard output. The entry point of the process reports write errors.
  for await (const text of texts) {
    if (!process.stdout.writable) return;
    if (!process.stdout.write(text)) await once(process.stdout, 'drain').catch(() => undefined);
  }
}

async function* textsOf(backend: ReadPets, list: PetsList, format: FileFormat): AsyncGenerator<string> {
  const lineOf = { csv: csvOf, ndjson: jsonOf }[format];
  if (format === 'csv') yield exactCsvLine(HEADER);
  let after: string | undefined;
  for (let hasMore = true; hasMore;) {
    const page = await backend.page(list, backend.maxPage, after);
    yield page.entries.map(lineOf).join('');
    after = page.entries.at(-1)?.cursor;
    ({ hasMore } = page);
  }
}

function csvOf(pet: ShownPet): string {
  return exactCsvLine(HEADER.map((column) => pet[column]));
}

/** Writes the digits of integers straight into the JSON: a JavaScript number would lose digits past 2^53. */
function jsonOf(pet: ShownPet): string {
  const members = HEADER.flatMap((column) => {
    const value = pet[column];
    return value === undefined
      ? []
      : `"${column}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
  });
  return `{${members.join(',')}}\n`;
}

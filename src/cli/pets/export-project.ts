import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FileFormat } from '../../features/pets/import/pets-import.js';
import { exactCsvLine } from '../../lib/csv.js';
import type { PetsBackend, PetsList, ShownPet } from './pets-backend.js';

const HEADER = ['externalId', 'name', 'categoryId', 'status', 'id'] as const;

/**
 * Writes animals with their numbers, as `pets import` reads them. A file must not exist.
 * @param path undefined or `-`: standard output
 */
export async function exportProject(
  backend: PetsBackend,
  list: PetsList,
  format: FileFormat,
  path: string | undefined,
): Promise<void> {
  const texts = textsOf(backend, list, format);
  if (path !== undefined && path !== '-') {
    await pipeline(texts, createWriteStream(path, { flags: 'wx' }));
    return;
  }
  // Not `pipeline`, which leaves a listener on standard output. The entry point of the process reports write errors.
  for await (const text of texts) {
    if (!process.stdout.writable) return;
    if (!process.stdout.write(text)) await once(process.stdout, 'drain').catch(() => undefined);
  }
}

async function* textsOf(backend: PetsBackend, list: PetsList, format: FileFormat): AsyncGenerator<string> {
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

function csvOf({ externalId, name, categoryId, status, id }: ShownPet): string {
  return exactCsvLine([externalId, name, categoryId, status, id]);
}

/** Writes the digits of integers straight into the JSON: a JavaScript number would lose digits past 2^53. */
function jsonOf({ externalId, name, categoryId, status, id }: ShownPet): string {
  const number = externalId === undefined ? '' : `"externalId":${JSON.stringify(externalId)},`;
  return `{${number}"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}","id":${id}}\n`;
}

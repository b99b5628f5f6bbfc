import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync, truncateSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { idOf } from '../features/pets/import/parse-line.js';
import { toLine } from '../features/pets/import/read-lines.js';
import { invalidRequest } from '../lib/errors.js';
import type { PetStatus } from '../features/pets/pet.js';
import type { PetsStore } from '../features/pets/pets-store.js';
import { renderPet } from '../interfaces/rest/render-pet.js';

export interface ExportTarget {
  /** Undefined: standard output. */
  path: string | undefined;
  status: PetStatus | undefined;
}

const PETS_AT_ONCE = 1000;
/** More bytes than any pet takes: 255 characters of at most six bytes each as JSON, and two numbers. */
const MAX_LINE_BYTES = 4096;
const LINE_BEGIN = '{"id":';
const NEWLINE = 0x0a;

/**
 * Writes all pets ordered by id, one per line. Continues the file of an interrupted export after its last whole line.
 * @throws ApiError invalid_request when the file exists and is not an export
 */
export async function exportPets(
  pets: Pick<PetsStore, 'list'>,
  { path, status }: ExportTarget,
): Promise<void> {
  if (path !== undefined) {
    const afterId = await continueAfter(path);
    await pipeline(linesOf(pets, status, afterId), createWriteStream(path, { flags: 'a' }));
    return;
  }
  // Not `pipeline`, which leaves a listener on standard output. The entry point of the process reports write errors.
  for await (const lines of linesOf(pets, status, undefined)) {
    if (!process.stdout.writable) return;
    if (!process.stdout.write(lines)) await once(process.stdout, 'drain').catch(() => undefined);
  }
}

async function* linesOf(
  pets: Pick<PetsStore, 'list'>,
  status: PetStatus | undefined,
  after: bigint | undefined,
): AsyncGenerator<string, void> {
  let afterId = after;
  for (let hasMore = true; hasMore;) {
    const page = await pets.list({
      limit: PETS_AT_ONCE,
      ...(status !== undefined && { status }),
      ...(afterId !== undefined && { afterId }),
    });
    yield page.pets.map((pet) => `${renderPet(pet)}\n`).join('');
    afterId = page.pets.at(-1)?.id;
    ({ hasMore } = page);
  }
}

/** The id of the last pet in the file. Removes an incomplete last line from the file. */
async function continueAfter(path: string): Promise<bigint | undefined> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  if (!there.isFile()) throw invalidRequest({ field: 'file', message: `${path} is not a file` });
  const { size } = there;
  const start = Math.max(0, size - 2 * MAX_LINE_BYTES);
  const tail = await buffer(createReadStream(path, { start }));
  const end = tail.lastIndexOf(NEWLINE) + 1;
  // Checks the last whole line first, so that nothing is removed from a file that is not an export.
  const whole = tail.subarray(tail.lastIndexOf(NEWLINE, end - 2) + 1, Math.max(0, end - 1));
  const id = idOf(toLine(whole));
  const isBegun =
    start === 0 && end === 0 && LINE_BEGIN.startsWith(tail.toString().slice(0, LINE_BEGIN.length));
  if (id === undefined && !isBegun)
    throw invalidRequest({ field: 'file', message: `${path} is there and is no export: name a new file` });
  truncateSync(path, start + end);
  return id;
}

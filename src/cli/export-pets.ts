import { once } from 'node:events';
import { appendFileSync, createReadStream, createWriteStream, statSync, truncateSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { invalidRequest } from '../lib/errors.js';
import type { PetStatus } from '../features/pets/pet.js';
import type { PetsStore } from '../features/pets/pets-store.js';
import { renderPet } from '../interfaces/rest/render-pet.js';
import { beginsExportedLine, readExportedLine, type ExportedPet } from './exported-line.js';

export interface ExportTarget {
  /** Undefined: standard output. */
  path: string | undefined;
  status: PetStatus | undefined;
}

const PETS_AT_ONCE = 1000;
/** More bytes than any pet takes: 255 characters of at most six bytes each as JSON, and two numbers. */
const MAX_LINE_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * Writes all pets ordered by id, one per line. Continues the file of an interrupted export after its last whole line.
 * @throws ApiError invalid_request when the file exists and is not an export, or not one of this status
 */
export async function exportPets(
  pets: Pick<PetsStore, 'list'>,
  { path, status }: ExportTarget,
): Promise<void> {
  if (path !== undefined) {
    const afterId = await continueAfter(path, status);
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

/**
 * The id of the last pet in the file. Removes an incomplete last line from the file, and completes a last line that lacks
 * only its line ending.
 */
async function continueAfter(path: string, status: PetStatus | undefined): Promise<bigint | undefined> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  if (!there.isFile())
    throw invalidRequest({ field: 'file', message: `${path} is not a regular file. Choose another name` });
  const start = Math.max(0, there.size - 2 * MAX_LINE_BYTES);
  const head = await buffer(createReadStream(path, { end: MAX_LINE_BYTES }));
  const tail = await buffer(createReadStream(path, { start }));
  const first = wholeLines(head)[0];
  const last = wholeLines(tail).at(-1);
  const end = tail.lastIndexOf(NEWLINE) + 1;
  const rest = tail.subarray(end).toString();
  const unended = readExportedLine(rest);

  // Checks all of it before the file changes: it can be the file of another program.
  const isExported = (pet: ExportedPet | undefined) =>
    pet !== undefined && (status === undefined || pet.status === status);
  const isExport =
    beginsExportedLine(rest) &&
    (unended === undefined || isExported(unended)) &&
    (last === undefined
      ? start === 0
      : isExported(readExportedLine(last)) && isExported(readExportedLine(first ?? last)));
  if (!isExport)
    throw invalidRequest({
      field: 'file',
      message: `${path} exists and is no export of ${status === undefined ? '' : `${status} `}pets. Choose another name`,
    });
  if (unended === undefined) truncateSync(path, start + end);
  else appendFileSync(path, '\n');
  return (unended ?? readExportedLine(last ?? ''))?.id;
}

/** The lines that have a line ending, without it. */
function wholeLines(bytes: Buffer): string[] {
  return bytes.toString().split('\n').slice(0, -1);
}

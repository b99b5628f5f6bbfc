import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/clock.js';
import { fileSha256 } from '../../../lib/file-sha256.js';
import type { PetsStore } from '../pets-store.js';
import type { ImportBatch, ImportCounts, ImportRecord } from './import-record.js';
import type { ImportsStore } from './imports-store.js';
import { insertLines, type Rejection } from './insert-lines.js';
import { highestIdIn } from './highest-id.js';
import { parseLine, type ParsedLine } from './parse-line.js';
import { readLines } from './read-lines.js';

export interface ImportParts {
  pets: Pick<PetsStore, 'reserveIds' | 'insertEach' | 'getMany'>;
  imports: ImportsStore;
  clock: Clock;
}

export interface ImportRun {
  path: string;
  /** What is known of the import before it begins or goes on. */
  onBegin: (record: ImportRecord) => void;
  /** Must be on disk when it returns: the lines are not looked at again. */
  onRejected: (rejections: readonly Rejection[]) => void;
  /** Every line is done. As onRejected: once it returns, the import is recorded as finished. */
  onEnd: () => void;
  /** Bytes of the file that are done. */
  onProgress: (bytes: number) => void;
}

/** While the database takes some lines, the next are read. */
const AT_ONCE = 3;

/**
 * Imports a file of newline-delimited JSON, a pet in each line. What is about to be inserted is recorded before, with
 * its ids: whatever ends the process, the same file once more goes on where it was, and makes no pet twice.
 *
 * @throws ApiError conflict: the file was imported, or another process has gone on with it; what the stores throw
 */
export async function importPets(
  run: ImportRun,
  { pets, imports, clock }: ImportParts,
): Promise<ImportCounts> {
  const { path } = run;
  const id = await fileSha256(path);
  const record = await imports.begin(id, randomUUID(), await highestIdIn(path), new Date(clock()));
  if (record.finishedAt !== undefined)
    throw new ApiError(
      'conflict',
      `This file was imported on ${record.finishedAt.toISOString()}. To add its pets once more: --again`,
    );
  run.onBegin(record);

  const { idsAbove } = record;
  const counts = { ...record.counts };
  /** Those that failed stay, so that they are recorded as pending. */
  const flights = new Map<ImportBatch, Promise<void>>();
  let failure: { error: unknown } | undefined;

  function launch(batch: ImportBatch, lines: readonly ParsedLine[]): void {
    const { start, firstId } = batch;
    const flight = insertLines({ lines, firstLine: start.line, firstId, idsAbove }, pets)
      .then((inserted) => {
        if (inserted.rejections.length > 0) run.onRejected(inserted.rejections);
        for (const name of ['imported', 'unchanged', 'rejected'] as const)
          counts[name] += inserted.counts[name];
        flights.delete(batch);
        run.onProgress(batch.end.offset);
      })
      .catch((error: unknown) => {
        failure ??= { error };
      });
    flights.set(batch, flight);
  }

  async function landUntil(left: number): Promise<void> {
    while (failure === undefined && flights.size > left) await Promise.race(flights.values());
    if (failure === undefined) return;
    await Promise.all(flights.values());
    throw failure.error;
  }

  for (const batch of record.pending) {
    launch(batch, await linesOf(path, batch));
    await landUntil(AT_ONCE - 1);
  }
  for await (const { start, end, lines } of readLines(path, record.next)) {
    const parsed = lines.map(parseLine);
    const batch = { start, end, firstId: await firstIdFor(parsed) };
    const step = { next: end, pending: [...flights.keys(), batch], counts: { ...counts } };
    if (!(await imports.advance(record, step))) throw takenOver();
    launch(batch, parsed);
    await landUntil(AT_ONCE - 1);
  }
  await landUntil(0);
  run.onEnd();
  if (!(await imports.finish(record, counts, new Date(clock())))) throw takenOver();
  return counts;

  async function firstIdFor(lines: readonly ParsedLine[]): Promise<bigint> {
    const needed = lines.filter((line) => line.kind === 'pet' && line.id === undefined).length;
    return needed === 0 ? 0n : pets.reserveIds(needed);
  }
}

async function linesOf(path: string, { start, end }: ImportBatch): Promise<ParsedLine[]> {
  const parsed: ParsedLine[] = [];
  for await (const { lines } of readLines(path, start, end.offset)) parsed.push(...lines.map(parseLine));
  return parsed;
}

function takenOver(): ApiError {
  return new ApiError('conflict', 'Another process has gone on with the import of this file.');
}

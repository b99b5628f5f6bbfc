import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/clock.js';
import type { PetsStore } from '../pets-store.js';
import type { ImportBatch, ImportCounts, ImportRecord, ImportsStore } from './imports-store.js';
import { insertLines, type Rejection } from './insert-lines.js';
import { idOf, parseLine, type ParsedLine } from './parse-line.js';
import { readLines, type Line } from './read-lines.js';

export interface ImportParts {
  pets: Pick<PetsStore, 'reserveIds' | 'insertEach' | 'getMany'>;
  imports: ImportsStore;
  clock: Clock;
}

export interface ImportRun {
  path: string;
  /** The SHA-256 of the file's content, in hex. It identifies the import. */
  id: string;
  /** Called with the import's record before the import starts or resumes. */
  onBegin: (record: ImportRecord) => void;
  /** Must be on disk when it returns: these lines are not read again. */
  onRejected: (rejections: readonly Rejection[]) => void;
  /**
   * Called when every line is done. Like onRejected, its effect must be on disk when it returns: then the import is
   * recorded as finished.
   */
  onEnd: () => void;
  /** Stops the import after the batches that have started. */
  signal: AbortSignal;
  /** Called with the number of bytes of the file that are done. */
  onProgress: (bytes: number) => void;
}

/** The import was stopped by its signal. Importing the same file again continues after `lines`. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';

  constructor(
    /** The lines that are done. */
    readonly lines: number,
    readonly counts: ImportCounts,
  ) {
    super(`The import was stopped after line ${lines}.`);
  }
}

/** Batches inserted at the same time; the next lines are read meanwhile. */
const AT_ONCE = 3;

/**
 * Imports a file of newline-delimited JSON with one pet per line. Each batch is recorded with its ids before it is
 * inserted. If the process ends for any reason, importing the same file again resumes there and creates no pet twice.
 *
 * @throws ImportStopped; ApiError conflict if the file was imported before, or another process took over the import; errors from the
 * stores
 */
export async function importPets(
  run: ImportRun,
  { pets, imports, clock }: ImportParts,
): Promise<ImportCounts> {
  const { path, id } = run;
  const record = await imports.begin(id, randomUUID(), await highestIdIn(path), new Date(clock()));
  if (record.finishedAt !== undefined)
    throw new ApiError(
      'conflict',
      `This file was imported on ${record.finishedAt.toISOString()}. To add its pets again, use --again.`,
    );
  run.onBegin(record);

  const { idsAbove } = record;
  const counts = { ...record.counts };
  /** Failed batches stay in the map, so that they are recorded as pending. */
  const flights = new Map<ImportBatch, Promise<void>>();
  const landed = new Set<ImportBatch>();
  let failure: { error: unknown } | undefined;

  function launch(batch: ImportBatch, lines: readonly ParsedLine[]): void {
    const { start, firstId } = batch;
    const flight = insertLines(
      { lines, firstLine: start.line, firstId, idsAbove, createdAt: new Date(clock()) },
      pets,
    )
      .then((inserted) => {
        if (inserted.rejections.length > 0) run.onRejected(inserted.rejections);
        for (const name of ['imported', 'unchanged', 'rejected'] as const)
          counts[name] += inserted.counts[name];
        flights.delete(batch);
        landed.add(batch);
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

  let next = record.next;
  for (const batch of record.pending) {
    if (run.signal.aborted) break;
    launch(batch, await linesOf(path, batch));
    await landUntil(AT_ONCE - 1);
  }
  for await (const { start, end, lines } of readLines(path, record.next)) {
    if (run.signal.aborted) break;
    const parsed = lines.map(parseLine);
    const batch = { start, end, firstId: await firstIdFor(parsed) };
    const step = { next: end, pending: [...flights.keys(), batch], counts: { ...counts } };
    if (!(await imports.advance(record, step))) throw takenOver();
    launch(batch, parsed);
    next = end;
    await landUntil(AT_ONCE - 1);
  }
  await landUntil(0);
  if (run.signal.aborted) throw await stopped();
  run.onEnd();
  if (!(await imports.finish(record, counts, new Date(clock())))) throw takenOver();
  return counts;

  /** Records that the started batches are done, unless batches of an earlier run are left. */
  async function stopped(): Promise<ImportStopped> {
    const left = record.pending.filter((batch) => !landed.has(batch));
    if (!(await imports.advance(record, { next, pending: left, counts: { ...counts } }))) throw takenOver();
    return new ImportStopped((left[0]?.start ?? next).line - 1, counts);
  }

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
  return new ApiError('conflict', 'Another process continued the import of this file.');
}

const START = { offset: 0, line: 1 };
/** Matches an id as nearly every line writes it. A line with several ids is not a pet, so the first match suffices. */
const PLAIN_ID = /"id"\s*:\s*(\d+)\s*[,}]/;

/** Returns the highest id that the file gives a pet, or 0. */
export async function highestIdIn(path: string): Promise<bigint> {
  let highest = 0n;
  for await (const { lines } of readLines(path, START))
    // Starts from the last line. In files ordered by id, such as exports, it has the highest id, and only that line is
    // parsed.
    for (const line of lines.toReversed()) {
      if (!mayExceed(line, Number(highest))) continue;
      const id = idOf(line);
      if (id !== undefined && id > highest) highest = id;
    }
  return highest;
}

function mayExceed(line: Line, highest: number): boolean {
  if (typeof line !== 'string') return false;
  // A member name can contain escapes.
  if (line.includes('\\')) return true;
  if (!line.includes('"id"')) return false;
  const [, id] = PLAIN_ID.exec(line) ?? [];
  // Large numbers are rounded, but both in the same way.
  return id === undefined || Number(id) >= highest;
}

import { ApiError, invalidRequest } from '../../lib/errors.js';
import { SECOND_MS, type Clock } from '../../lib/clock.js';
import { randomBase62 } from '../../lib/random-id.js';
import type { AuditStore } from '../audit/audit-store.js';
import type { CallerChecks } from '../keys/caller-checks.js';
import { actorOf, isCaller, type Changer } from '../keys/changer.js';
import type { ProjectsService } from '../projects/projects-service.js';
import type { PetsStore } from '../pets/pets-store.js';
import {
  FileRefused,
  firstRejections,
  IMPORT_WAITS_MS,
  NO_COUNTS,
  type FileFormat,
  type PetsImport,
  type PetsImportOptions,
} from './pets-import.js';
import type { ClaimedImport, FileRead, ImportPlan, PetsImportsStore } from './pets-imports-store.js';
import { planImport } from './plan-import.js';
import { readRows } from './read-rows.js';
import { TakenOver, writeImport } from './write-import.js';

/** A file that arrives. */
export interface ImportedFile {
  chunks: AsyncIterable<Uint8Array>;
  format: FileFormat;
  /**
   * Called before the work on further lines of the file, with their number. With `deleteMissing`, also for the animals of
   * the project that are compared, as far as they are more than the lines. @throws to end the upload
   */
  onWork?: (count: number) => Promise<void>;
}

/**
 * Synchronizes a project's animals with a file of the project's own software. The rows of the file are stored first. When
 * the whole file was read, the import plans what each row changes, and only then writes. From the first write on, the
 * import is carried out to its end: when its process is killed, another one continues.
 */
export interface PetsImports {
  /** @throws ApiError invalid_request; not_found */
  create(options: PetsImportOptions, by: Changer): Promise<PetsImport>;
  /** @throws ApiError not_found */
  get(id: string): Promise<PetsImport>;
  /**
   * Reads the file of an import that awaits it. A dry run then says what it would change. Any other import is applied: resolves
   * when it is done, or after `waitMs` while it continues. After an error from `file`, the import still awaits its file.
   * @throws ApiError invalid_request or payload_too_large if the file cannot be read, which fails the import; conflict;
   * errors of `file`
   */
  receive(petsImport: PetsImport, file: ImportedFile, by: Changer, waitMs?: number): Promise<PetsImport>;
  /** Applies an import that is `checked`, like `receive`. @throws ApiError conflict; invalid_api_key */
  start(petsImport: PetsImport, by: Changer, waitMs?: number): Promise<PetsImport>;
  /** Continues the imports whose process ended, and removes the rows of those that ended. */
  workDue(): Promise<void>;
  startJob(): void;
  /** Resolves when no import runs in this process; another process continues the imports that were not done. */
  close(): Promise<void>;
}

export interface PetsImportsParts {
  imports: PetsImportsStore;
  pets: Pick<PetsStore, 'reserveIds'>;
  projects: Pick<ProjectsService, 'get'>;
  audit: Pick<AuditStore, 'add'>;
  callerChecks: Pick<CallerChecks, 'require'>;
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  onError: (error: unknown) => void;
  clock: Clock;
}

/** When a process is killed, another continues its imports after this time. */
export const IMPORT_LEASE_MS = 30 * SECOND_MS;
const EXTENDED_AFTER_MS = 5 * SECOND_MS;
const INTERVAL_MS = 10 * SECOND_MS;
/** How many runs may begin to plan an import, before it fails: until it ends, no other import of the project can run. */
export const MAX_PLANNINGS = 5;
const NOT_PLANNED =
  `The gateway tried ${MAX_PLANNINGS} times to compare the file with the animals of the project, and could not. ` +
  'Nothing was changed. Send the file again in another import. If that fails too, the log of the gateway says why.';
/** How long a request waits for an import that is applied. */
const WAIT_MS = 20 * SECOND_MS;
const MOST_TO_DELETE = 2 ** 31 - 1;
/** Animals of a project that are counted before any is announced take less than a millisecond. */
const COUNTED_AT_FIRST = 500;
const ignore = () => Promise.resolve();

export function createPetsImports(parts: PetsImportsParts): PetsImports {
  const { imports, projects, audit, callerChecks, transact, onError, clock } = parts;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const leaseEnd = () => new Date(clock() + IMPORT_LEASE_MS);

  async function get(id: string): Promise<PetsImport> {
    return (await imports.get(id)) ?? importNotFound(id);
  }

  async function read(petsImport: PetsImport, upload: string, arriving: ImportedFile) {
    const { chunks, format, onWork = ignore } = arriving;
    const file = { upload, lines: 0, rejected: 0, rejections: [] as FileRead['rejections'] };
    for await (const batch of readRows({ chunks, format, ignoreUnknown: petsImport.ignoreUnknown, onWork })) {
      const repeated = await imports.addRows(upload, batch.rows);
      const rejections = [
        ...batch.rejections,
        ...repeated.map((line) => ({ line, reason: 'externalId: an earlier line has the same number' })),
      ];
      file.lines += batch.rows.length + batch.rejections.length;
      file.rejected += rejections.length;
      if (rejections.length > 0) file.rejections = firstRejections([...file.rejections, ...rejections]);
    }
    // A rejected line means that nothing is removed, so nothing is compared.
    if (petsImport.deleteMissing && file.rejected === 0)
      await announceCompared(petsImport.projectId, file.lines, onWork);
    return file;
  }

  /** Counts at most twice as many animals as it has announced: a project can have millions. */
  async function announceCompared(
    projectId: string,
    lines: number,
    onWork: (count: number) => Promise<void>,
  ): Promise<void> {
    let announced = lines;
    for (let most = 2 * Math.max(lines, COUNTED_AT_FIRST); ; most *= 2) {
      const count = await imports.countNumbered(projectId, most);
      if (count > announced) await onWork(count - announced);
      if (count < most) return;
      announced = count;
    }
  }

  /** Calls `run` with a step that extends the lease from time to time. @throws TakenOver; the reason of `stop` */
  function keeping<T>(claimed: ClaimedImport, run: (goOn: () => Promise<void>) => Promise<T>): Promise<T> {
    let extendedAtMs = clock();
    return run(async () => {
      stop.signal.throwIfAborted();
      if (clock() - extendedAtMs < EXTENDED_AFTER_MS) return;
      extendedAtMs = clock();
      if (!(await imports.extend(claimed, leaseEnd()))) throw new TakenOver();
    });
  }

  /** A run that was suspended past its lease must not write into the plan of the next. @throws TakenOver */
  function whileClaimed(claimed: ClaimedImport, write: () => Promise<void>): Promise<void> {
    return transact(async () => {
      if (!(await imports.extend(claimed, leaseEnd()))) throw new TakenOver();
      await write();
    });
  }

  async function applyAll(claimed: ClaimedImport): Promise<void> {
    const { petsImport, file, phase } = claimed;
    const { id, projectId } = petsImport;
    let plan: ImportPlan = petsImport;
    if (phase === 'plan') {
      plan = await keeping(claimed, (goOn) =>
        planImport(petsImport, file, parts, goOn, (write) => whileClaimed(claimed, write)),
      );
      if (!(await imports.beginWrites(claimed, plan))) throw new TakenOver();
    }
    const planned = plan;
    const done = await keeping(claimed, (goOn) => writeImport(claimed, planned, parts, goOn));
    const at = new Date(clock());
    await transact(async () => {
      if (!(await imports.finish(claimed, done, at))) throw new TakenOver();
      await audit.add({
        at,
        actor: claimed.startedBy,
        action: 'pets.import',
        target: { projectId },
        before: undefined,
        after: { import: id, ...done.counts },
      });
    });
    await imports.clear(id, at);
  }

  async function apply(claimed: ClaimedImport): Promise<void> {
    const applied = applyAll(claimed).catch(async (error: unknown) => {
      if (error instanceof TakenOver) return;
      if (!stop.signal.aborted) onError(error);
      else await imports.release(claimed, new Date(clock())).catch(onError);
    });
    running.add(applied);
    await applied;
    running.delete(applied);
  }

  async function workDue(): Promise<void> {
    for (;;) {
      if (stop.signal.aborted) return;
      const due = await imports.claimDue(new Date(clock()), newRun(), leaseEnd());
      if (due === undefined) return;
      if ('over' in due) await imports.clear(due.over.id, new Date(clock()));
      else if (due.phase === 'plan' && due.runs > MAX_PLANNINGS)
        await imports.giveUp(due, NOT_PLANNED, new Date(clock()));
      else await apply(due);
    }
  }

  function work(): void {
    working ??= workDue()
      .catch(onError)
      .finally(() => {
        working = undefined;
      });
  }

  /** @throws ApiError conflict */
  async function finishUpload(
    id: string,
    file: FileRead,
    expiresAt: Date,
    plan?: ImportPlan,
  ): Promise<PetsImport> {
    const checked = await imports.finishUpload(id, file, expiresAt, plan);
    return checked ?? Promise.reject(notIn('awaiting_file', await get(id)));
  }

  /** @param before runs in the same transaction */
  async function claim(
    { id }: PetsImport,
    by: Changer,
    before?: () => Promise<unknown>,
  ): Promise<ClaimedImport> {
    const run = newRun();
    const claimed = await transact(async () => {
      if (isCaller(by)) await callerChecks.require(by);
      await before?.();
      const begun = await imports.begin(id, run, leaseEnd(), actorOf(by));
      if (begun === 'other')
        throw new ApiError('conflict', 'Another import of the project is being applied. Wait for its end.');
      return begun;
    });
    return claimed ?? Promise.reject(notIn('checked', await get(id)));
  }

  /** Resolves when the import is done, or after `waitMs` while it continues. */
  async function carryOut(claimed: ClaimedImport, waitMs = WAIT_MS): Promise<PetsImport> {
    let timeout: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      if (waitMs < Infinity) timeout = setTimeout(resolve, waitMs);
    });
    await Promise.race([apply(claimed), waited]);
    clearTimeout(timeout);
    return get(claimed.petsImport.id);
  }

  return {
    async create(options, by) {
      checkOptions(options);
      const { id: projectId } = await projects.get(options.projectId);
      const createdAt = new Date(clock());
      const petsImport: PetsImport = {
        ...options,
        projectId,
        id: `imp_${randomBase62(16)}`,
        state: 'awaiting_file',
        createdAt,
        createdBy: actorOf(by),
        expiresAt: new Date(createdAt.getTime() + IMPORT_WAITS_MS),
        lines: 0,
        counts: NO_COUNTS,
        rejections: [],
      };
      await imports.insert(petsImport);
      return petsImport;
    },
    get,
    async receive(petsImport, arriving, by, waitMs) {
      const { id } = petsImport;
      const upload = randomBase62(16);
      const isExpired = petsImport.expiresAt.getTime() <= clock();
      if (isExpired || !(await imports.beginUpload(id, upload))) throw notIn('awaiting_file', await get(id));
      const start = await (async () => {
        const file = await read(petsImport, upload, arriving);
        const expiresAt = () => new Date(clock() + IMPORT_WAITS_MS);
        if (!petsImport.dryRun) return claim(petsImport, by, () => finishUpload(id, file, expiresAt()));
        // No other run plans with the rows of this upload.
        const inStep = (write: () => Promise<void>) => write();
        const plan = await planImport(petsImport, file, parts, ignore, inStep);
        return finishUpload(id, file, expiresAt(), plan);
      })().catch(async (error: unknown) => {
        // Rows that cannot be removed now are removed with the import, if that has not ended.
        await imports.discard(id, upload).catch(() => undefined);
        if (!(error instanceof FileRefused)) throw error;
        await imports.fail(id, error.reason, new Date(clock()));
        throw error.tooLarge
          ? new ApiError('payload_too_large', error.reason, { cause: error })
          : invalidRequest({ field: 'file', message: error.reason });
      });
      return 'run' in start ? carryOut(start, waitMs) : start;
    },
    start: async (petsImport, by, waitMs) => carryOut(await claim(petsImport, by), waitMs),
    workDue,
    startJob() {
      timer ??= setInterval(work, INTERVAL_MS).unref();
      work();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      stop.abort();
      await Promise.all([working, ...running]);
    },
  };
}

/** @throws ApiError not_found, always */
export function importNotFound(id: string): never {
  throw new ApiError('not_found', `There is no import with the id ${id}.`);
}

function checkOptions({ deleteMissing, deleteAtMost }: PetsImportOptions): void {
  if (deleteAtMost === undefined) return;
  if (!deleteMissing)
    throw invalidRequest({
      field: 'deleteAtMost',
      message: 'needs deleteMissing: nothing is removed without it',
    });
  if (!Number.isInteger(deleteAtMost) || deleteAtMost < 0 || deleteAtMost > MOST_TO_DELETE)
    throw invalidRequest({
      field: 'deleteAtMost',
      message: `must be an integer from 0 to ${MOST_TO_DELETE}; received ${deleteAtMost}`,
    });
}

function notIn(state: 'awaiting_file' | 'checked', { id, state: there, expiresAt }: PetsImport): ApiError {
  const needed = state === 'checked' ? 'Only an import that is checked can start.' : 'It takes one file.';
  const is = there === state ? `expired at ${expiresAt.toISOString()}` : `is ${there}`;
  return new ApiError('conflict', `The import ${id} ${is}. ${needed} Create another import.`);
}

function newRun(): string {
  return randomBase62(16);
}

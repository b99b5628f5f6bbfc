import type { Actor } from '../audit/audit-record.js';
import type { NewPet, Pet } from '../pets/pet.js';
import type { Rejection } from '../pets/import/insert-lines.js';
import type { NumberedRow } from './read-rows.js';
import type { PetsImport, PetsImportCounts } from './pets-import.js';

/**
 * What an import does, decided for each row before the first write. A new animal has its id already. A change or
 * a removal names the values that the animal had.
 */
export type PlannedWrite =
  | { kind: 'add'; externalId: string; petId: bigint; to: NewPet; line: number }
  | { kind: 'change'; externalId: string; petId: bigint; from: NewPet; to: NewPet; line: number }
  | { kind: 'remove'; externalId: string; petId: bigint; from: NewPet };

/** A row as it is stored. */
export interface StoredRow extends NumberedRow {
  write?: PlannedWrite;
}

/** A run of an import has the import for itself until `leaseEndsAt`, unless it extends that. */
export interface ClaimedImport {
  petsImport: PetsImport;
  run: string;
  /** Who sent the file or, after a dry run, started the import. */
  startedBy: Actor;
  file: FileRead;
  phase: 'plan' | 'write';
  /** How many runs have begun the import, with this one. */
  runs: number;
  /** The last write that was carried out; undefined before the first. */
  written: Written | undefined;
}

/** A place in the planned writes: additions and changes by number, then removals by number. */
export interface Written {
  stage: 'put' | 'remove';
  after: string;
}

/** A file that was read whole. */
export interface FileRead {
  /** The upload whose rows the import has. */
  upload: string;
  lines: number;
  /** Lines that were rejected while the file was read. */
  rejected: number;
  /** The first of them. */
  rejections: readonly Rejection[];
}

export interface ImportPlan {
  counts: PetsImportCounts;
  rejections: readonly Rejection[];
  notRemovedReason?: string | undefined;
}

/**
 * Stores imports of projects, and the rows of their files until they end. Writes are durable on a majority. Every method
 * that takes a `run` returns false, and changes nothing, if another run has taken over the import.
 */
export interface PetsImportsStore {
  insert(petsImport: PetsImport): Promise<void>;
  get(id: string): Promise<PetsImport | undefined>;

  /** Registers an upload, so that its rows are removed with the import. Returns false unless it awaits its file. */
  beginUpload(id: string, upload: string): Promise<boolean>;
  /** Stores rows of an upload. Returns the lines whose number an earlier line has. */
  addRows(upload: string, rows: readonly NumberedRow[]): Promise<number[]>;
  /**
   * The file of the upload is whole, and `plan` says what it would change. Returns undefined if the import no longer
   * awaits it. Other imports of the project that wait to be started, and were checked earlier, expire: of two that are
   * checked at the same time, one stays.
   */
  finishUpload(
    id: string,
    file: FileRead,
    expiresAt: Date,
    plan: ImportPlan | undefined,
  ): Promise<PetsImport | undefined>;
  /** Removes the rows of an upload that failed, unless the import has them: the outcome of a write can be unknown. */
  discard(id: string, upload: string): Promise<void>;
  fail(id: string, problem: string, at: Date): Promise<void>;
  /** Fails an import that is being applied and has written nothing yet. */
  giveUp(claimed: ClaimedImport, problem: string, at: Date): Promise<boolean>;

  /**
   * Begins to apply an import whose file was read. In a transaction.
   * @returns undefined if it is not `checked`; 'other' if another import of the project is being applied
   */
  begin(
    id: string,
    run: string,
    leaseEndsAt: Date,
    startedBy: Actor,
  ): Promise<ClaimedImport | 'other' | undefined>;
  /** Joins a transaction under way. */
  extend(claimed: ClaimedImport, leaseEndsAt: Date): Promise<boolean>;
  /** From now on the planned writes are carried out, and not planned again. */
  beginWrites(claimed: ClaimedImport, plan: ImportPlan): Promise<boolean>;
  /** The writes up to `written` were carried out; `plan` says what remains of the plan. In the transaction of these writes. */
  advance(claimed: ClaimedImport, written: Written, plan: ImportPlan): Promise<boolean>;
  /** In a transaction. */
  finish(claimed: ClaimedImport, plan: ImportPlan, at: Date): Promise<boolean>;

  /** By the number, in the order of its UTF-8 bytes. */
  rows(upload: string, after: string | undefined, limit: number): Promise<StoredRow[]>;
  /** Sets or, without a write, removes the planned write of these rows. Like the next two, joins a transaction. */
  plan(
    upload: string,
    rows: readonly { externalId: string; write: PlannedWrite | undefined }[],
  ): Promise<void>;
  planRemovals(upload: string, removals: readonly (PlannedWrite & { kind: 'remove' })[]): Promise<void>;
  forgetRemovals(upload: string, externalIds: readonly string[]): Promise<void>;
  /** The planned writes, in the order of `rows`. */
  writes(
    upload: string,
    kinds: readonly PlannedWrite['kind'][],
    after: string | undefined,
    limit: number,
  ): Promise<PlannedWrite[]>;

  /** Those of these numbers that rows of the upload have. */
  rowsWith(upload: string, externalIds: readonly string[]): Promise<Set<string>>;

  /** The project's animals with these numbers, by number. Joins a transaction under way. */
  petsWith(projectId: string, externalIds: readonly string[]): Promise<Map<string, Pet>>;
  /** The project's animals that have a number, in the order of `rows`. */
  numberedPets(
    projectId: string,
    after: string | undefined,
    limit: number,
  ): Promise<(Pet & { externalId: string })[]>;
  /** The number of the project's animals, if it is less than `most`; otherwise `most`. */
  countPets(projectId: string, most: number): Promise<number>;
  /** The same of those that have a number. */
  countNumbered(projectId: string, most: number): Promise<number>;
  /** In a transaction. @throws if an animal has one of these ids or numbers */
  addPets(
    projectId: string,
    adds: readonly (PlannedWrite & { kind: 'add' })[],
    createdAt: Date,
  ): Promise<void>;
  /** Changes the animals that still have the values of `from`. In a transaction. */
  changePets(projectId: string, changes: readonly (PlannedWrite & { kind: 'change' })[]): Promise<void>;
  /** In a transaction. */
  removePets(projectId: string, ids: readonly bigint[]): Promise<void>;

  /**
   * The next import that needs work: one whose run ended early, one that waited too long, or one that ended and still has
   * rows. Its next turn is at `leaseEndsAt`.
   */
  claimDue(
    now: Date,
    run: string,
    leaseEndsAt: Date,
  ): Promise<ClaimedImport | { over: PetsImport } | undefined>;
  /** Removes the rows of an import that ended, or that expired by this call. */
  clear(id: string, now: Date): Promise<void>;
  /** Lets another process go on with the import at once. The run does not count. */
  release(claimed: ClaimedImport, now: Date): Promise<void>;
  /** Removes all imports of a deleted project. Idempotent. */
  removeOfProject(projectId: string): Promise<void>;
}

/** The progress of importing one file. Batches in `pending` were started, and may or may not have been inserted. */
export interface ImportRecord {
  /** SHA-256 of the file's content, in hex: a copy of the file is the same import. */
  id: string;
  startedAt: Date;
  /** The id of the latest run that started or resumed the import. */
  run: string;
  finishedAt?: Date;
  /** Ids above this one, up to the file's highest id, are reserved for this import. */
  idsAbove: bigint;
  /** The position where reading resumes. */
  next: LinePlace;
  /** Started and not known to be inserted, in file order. */
  pending: readonly ImportBatch[];
  counts: ImportCounts;
}

export interface LinePlace {
  /** Bytes before this position. */
  offset: number;
  /** Starts at 1. */
  line: number;
}

/** Lines that are inserted together. Lines without their own id get consecutive ids. */
export interface ImportBatch {
  start: LinePlace;
  /** Where the next batch starts. */
  end: LinePlace;
  firstId: bigint;
}

export interface ImportCounts {
  imported: number;
  /** Pets that already existed with the same values. */
  unchanged: number;
  rejected: number;
}

/** The progress of an import since it was last recorded. */
export interface ImportStep {
  next: LinePlace;
  pending: readonly ImportBatch[];
  counts: ImportCounts;
}

/** Stores imports. Changes use majority writes. */
export interface ImportsStore {
  /**
   * Returns the import of this file, taken over by `run`: the existing one, or a new one with all ids up to `highestId`
   * set aside. A finished import is returned without being taken over.
   */
  begin(id: string, run: string, highestId: bigint, at: Date): Promise<ImportRecord>;
  /** Returns false if another run has taken over the import. */
  advance(record: ImportRecord, step: ImportStep): Promise<boolean>;
  /** Like advance. */
  finish(record: ImportRecord, counts: ImportCounts, at: Date): Promise<boolean>;
  /**
   * Deletes a finished import, so that the same file can be imported again. An unfinished import stays and can be
   * resumed.
   */
  forgetFinished(id: string): Promise<void>;
}

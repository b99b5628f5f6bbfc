import type { ImportBatch, ImportCounts, ImportRecord, LinePlace } from './import-record.js';

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

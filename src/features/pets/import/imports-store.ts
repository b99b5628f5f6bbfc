import type { ImportBatch, ImportCounts, ImportRecord, LinePlace } from './import-record.js';

/** What an import has done since it was last written down. */
export interface ImportStep {
  next: LinePlace;
  pending: readonly ImportBatch[];
  counts: ImportCounts;
}

/** Where imports are kept. Changes are majority writes. */
export interface ImportsStore {
  /**
   * The import of this file, taken over by `run`: the one begun before, or a new one, for which all ids up to
   * `highestId` are set aside. One that is finished is only told.
   */
  begin(id: string, run: string, highestId: bigint, at: Date): Promise<ImportRecord>;
  /** False when another run has taken it over. */
  advance(record: ImportRecord, step: ImportStep): Promise<boolean>;
  /** As advance. */
  finish(record: ImportRecord, counts: ImportCounts, at: Date): Promise<boolean>;
  /** So that the same file can be imported once more; one that is not finished is kept, to be gone on with. */
  forgetFinished(id: string): Promise<void>;
}

import type { ImportBatch, ImportCounts, ImportRecord, LinePlace } from './import-record.js';

/** What an import has done since it was last written down. */
export interface ImportStep {
  next: LinePlace;
  pending: readonly ImportBatch[];
  counts: ImportCounts;
}

/** Where imports are kept. Changes are majority writes. */
export interface ImportsStore {
  /** The import of this file: the one begun before, or a new one, for which all ids up to `highestId` are set aside. */
  begin(id: string, highestId: bigint, at: Date): Promise<ImportRecord>;
  /** False when the import is no longer where it was read to: another process goes on with it. */
  advance(record: ImportRecord, step: ImportStep): Promise<boolean>;
  finish(id: string, counts: ImportCounts, at: Date): Promise<void>;
  /** So that the same file can be imported once more. */
  forget(id: string): Promise<void>;
}

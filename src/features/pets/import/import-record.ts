/** How far the import of one file has come. What is in `pending` was begun, and may have been inserted or not. */
export interface ImportRecord {
  /** SHA-256 of the file's content, in hex: the same pets in another file are the same import. */
  id: string;
  startedAt: Date;
  /** Whoever is at it: the latest that began or went on with it. */
  run: string;
  finishedAt?: Date;
  /** Ids above this one, up to the file's highest, were set aside for this import. */
  idsAbove: bigint;
  /** Where the file is read on. */
  next: LinePlace;
  /** Begun and not known to be inserted, in the order of the file. */
  pending: readonly ImportBatch[];
  counts: ImportCounts;
}

export interface LinePlace {
  /** Bytes before it. */
  offset: number;
  /** From 1. */
  line: number;
}

/** Lines that are inserted together. Those without an id of their own get ids in a row. */
export interface ImportBatch {
  start: LinePlace;
  /** Where the next ones begin. */
  end: LinePlace;
  firstId: bigint;
}

export interface ImportCounts {
  imported: number;
  /** Pets that were there already, as the file has them. */
  unchanged: number;
  rejected: number;
}

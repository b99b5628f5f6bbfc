/** Identifies rows that were written together, so that a store can add them exactly once. */
export interface Batch {
  /** The process that counted. */
  writer: string;
  /** Increases with each batch of a writer. */
  number: number;
}

/** Which rows to write: all, or those whose turn it is. */
export type HowMuch = 'all' | 'due';

/** A row that has waited for this long is written at the next interval, milliseconds. */
export const LONG_WAIT_MS = 25_000;

/**
 * Rows that requests change in memory, so that no request waits for a write. Each write takes rows out of the buffer as
 * a batch. A batch whose write failed is passed again unchanged, before the next one.
 */
export interface WriteBuffer<Row> {
  /**
   * Returns the row of this id and period, or a new one if none waits. Change it before you await anything. Undefined if
   * the buffer is full; `onLost` learns of that at the next write.
   */
  rowOf(period: number, id: string): Row | undefined;
  /** Writes rows, after any write in progress. Never rejects. */
  write(howMuch: HowMuch): Promise<void>;
}

export interface WriteBufferParts<Row> {
  /** Identifies this process among all processes that ever wrote. */
  writer: string;
  /**
   * The maximum number of rows that wait, beside one batch whose write failed. It limits memory while the store is
   * unavailable. Half of it starts a write without waiting for the interval.
   */
  maxRows: number;
  /** How many rows a write takes at an interval, unless more have waited for LONG_WAIT_MS. */
  rowsPerInterval: number;
  newRow: (period: number, id: string) => Row;
  /** Adds the rows that are not added yet. A batch that failed at any point is passed again. */
  add: (rows: readonly Row[], batch: Batch) => Promise<void>;
  onError: (error: unknown) => void;
  /** Called with the number of changes that were lost because the buffer was full. */
  onLost: (changes: number) => void;
}

interface Waiting<Row> {
  row: Row;
  /** When the row was made, on performance.now(). */
  sinceMs: number;
}

export function createWriteBuffer<Row>(parts: WriteBufferParts<Row>): WriteBuffer<Row> {
  const { writer, maxRows, rowsPerInterval, newRow, add, onError, onLost } = parts;
  /** By period, then by id. Two levels, so that a request joins no strings. */
  const waiting = new Map<number, Map<string, Waiting<Row>>>();
  let count = 0;
  let lost = 0;
  /** A batch that the store may have added in part. */
  let unwritten: { rows: readonly Row[]; batch: Batch } | undefined;
  let batchesTaken = 0;
  let writing: Promise<void> = Promise.resolve();

  function addRow(period: number, id: string): Row | undefined {
    if (count === maxRows) {
      lost += 1;
      return undefined;
    }
    let ofPeriod = waiting.get(period);
    if (ofPeriod === undefined) waiting.set(period, (ofPeriod = new Map<string, Waiting<Row>>()));
    const row = newRow(period, id);
    ofPeriod.set(id, { row, sinceMs: performance.now() });
    count += 1;
    if (count === maxRows / 2) void write('all');
    return row;
  }

  /** Maps keep the order of insertion, so the first rows of a period have waited longest. */
  function take(howMuch: HowMuch): Row[] {
    const waitedSinceMs = performance.now() - LONG_WAIT_MS;
    const taken: Row[] = [];
    for (const [period, ofPeriod] of waiting) {
      for (const [id, { row, sinceMs }] of ofPeriod) {
        if (howMuch === 'due' && taken.length >= rowsPerInterval && sinceMs > waitedSinceMs) break;
        taken.push(row);
        ofPeriod.delete(id);
      }
      if (ofPeriod.size === 0) waiting.delete(period);
    }
    count -= taken.length;
    return taken;
  }

  async function addUnwritten(): Promise<void> {
    if (unwritten !== undefined) await add(unwritten.rows, unwritten.batch);
    unwritten = undefined;
  }

  async function writeNow(howMuch: HowMuch): Promise<void> {
    await addUnwritten();
    if (lost > 0) onLost(lost);
    lost = 0;
    const rows = take(howMuch);
    if (rows.length > 0) unwritten = { rows, batch: { writer, number: ++batchesTaken } };
    await addUnwritten();
  }

  const write = (howMuch: HowMuch) => (writing = writing.then(() => writeNow(howMuch)).catch(onError));
  return {
    rowOf: (period, id) => waiting.get(period)?.get(id)?.row ?? addRow(period, id),
    write,
  };
}

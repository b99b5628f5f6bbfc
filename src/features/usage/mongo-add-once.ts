import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../platform/mongo/error-codes.js';
import type { Batch } from './write-buffer.js';

/** A document that stores the number of the last batch added from each process, so that it accepts no batch twice. */
export interface AddedOnce {
  _id: string;
  writers: Record<string, number>;
}

export type Addition<T extends AddedOnce> = mongo.UpdateOneModel<T>;

/** The part of a filter that matches only a document without the batch. */
export function without({ writer, number }: Batch) {
  return { [`writers.${writer}`]: { $not: { $gte: number } } };
}

/** The part of `$set` that stores that a document has the batch. */
export function nowWith({ writer, number }: Batch) {
  return { [`writers.${writer}`]: number };
}

/** Writes in chunks, so that building them does not delay requests for long. */
const WRITES_AT_ONCE = 500;

/** Adds what is counted to the documents that do not have its batch. */
export async function addOnce<T extends AddedOnce, C>(
  collection: mongo.Collection<T>,
  counted: readonly C[],
  additionOf: (counted: C) => Addition<T>,
): Promise<void> {
  for (let i = 0; i < counted.length; i += WRITES_AT_ONCE)
    await addChunk(collection, counted.slice(i, i + WRITES_AT_ONCE).map(additionOf));
}

/** A document that already has the batch does not match the filter, so its upsert fails with a duplicate key. */
async function addChunk<T extends AddedOnce>(
  collection: mongo.Collection<T>,
  additions: readonly Addition<T>[],
): Promise<void> {
  const failed = await metTakenKeys(
    collection.bulkWrite(
      additions.map((updateOne) => ({ updateOne })),
      { ordered: false },
    ),
  );
  if (failed.length === 0) return;
  // A duplicate key can also mean that another process created the document in the meantime. The retry without upsert
  // adds the batch only if the document does not have it.
  const again = additions.filter((_, i) => failed.includes(i));
  await collection.bulkWrite(
    again.map((addition) => ({ updateOne: { ...addition, upsert: false } })),
    { ordered: false },
  );
}

/** Returns the indexes of the updates that failed with a duplicate key. @throws any other error */
async function metTakenKeys(write: Promise<unknown>): Promise<number[]> {
  try {
    await write;
    return [];
  } catch (error) {
    const { writeErrors } = error as { writeErrors?: mongo.WriteError | mongo.WriteError[] };
    const faults = [writeErrors ?? []].flat();
    if (faults.length === 0 || !faults.every(isDuplicateKey)) throw error;
    return faults.map(({ index }) => index);
  }
}

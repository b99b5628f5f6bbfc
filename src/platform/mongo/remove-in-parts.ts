import type { mongo } from 'mongoose';

const REMOVED_AT_ONCE = 500;

/**
 * Removes the matching documents in batches of 500. A single command for too many documents could exceed the
 * connection's silence limit, and a shutdown would have to wait for it.
 * @param signal checked before each batch
 */
export async function removeInParts<Document extends { _id: string }>(
  collection: mongo.Collection<Document>,
  filter: mongo.Filter<Document>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const found = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(REMOVED_AT_ONCE)
      .toArray();
    if (found.length === 0) return;
    const ids = found.map(({ _id }) => _id);
    await collection.deleteMany({ _id: { $in: ids } } as mongo.Filter<Document>);
  }
}

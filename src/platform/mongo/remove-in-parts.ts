import type { mongo } from 'mongoose';

const REMOVED_AT_ONCE = 500;

/**
 * In parts: one command for a great many documents could be silent for longer than a connection is kept, and a stop
 * would wait for all of it.
 * @param signal looked at before each part
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

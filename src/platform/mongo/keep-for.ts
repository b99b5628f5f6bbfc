import type { Connection } from 'mongoose';
import { DAY_MS, SECOND_MS } from '../../lib/clock.js';
import { closeGap, findGaps } from './collections.js';
import { wantedIndex } from './collection-shape.js';
import { hasCode, INDEX_NOT_FOUND } from './error-codes.js';

/**
 * Makes MongoDB remove each document `days` days after the date in `field`. This includes existing documents, so a
 * changed setting takes effect at the next start. With 0, documents are kept forever.
 * @throws IndexConflict
 */
export async function keepFor(
  connection: Connection,
  { collection, field, days }: { collection: string; field: string; days: number },
): Promise<void> {
  const db = connection.getClient().db(connection.name);
  const name = `${field}_retention`;
  if (days === 0) {
    await db
      .collection(collection)
      .dropIndex(name)
      .catch((error: unknown) => {
        if (!hasCode(error, INDEX_NOT_FOUND)) throw error;
      });
    return;
  }
  const index = wantedIndex({ [field]: 1 }, { name, expireAfterSeconds: (days * DAY_MS) / SECOND_MS });
  for (const gap of await findGaps(db, [{ name: collection, indexes: [index] }])) await closeGap(db, gap);
}

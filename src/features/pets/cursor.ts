import { parseCanonicalInt64 } from '../../lib/int64.js';

const PREFIX = 'pet:';

/** An opaque place in the list ordered by id: what follows the pet of this id. */
export function cursorOf(id: bigint): string {
  return Buffer.from(`${PREFIX}${id}`).toString('base64url');
}

/** The id a cursor stands for, or undefined for a text that cursorOf never made. */
export function idOfCursor(cursor: string): bigint | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const id = parseCanonicalInt64(text.slice(PREFIX.length));
  // Decoding is lenient, also about the prefix: only what encodes to the same text is a cursor.
  return id !== undefined && cursorOf(id) === cursor ? id : undefined;
}

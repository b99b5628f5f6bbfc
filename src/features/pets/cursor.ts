import { parseCanonicalInt64 } from '../../lib/int64.js';

const PREFIX = 'pet:';

/** An opaque position in the list ordered by id: after the pet with this id. */
export function cursorOf(id: bigint): string {
  return Buffer.from(`${PREFIX}${id}`).toString('base64url');
}

/** The id in a cursor, or undefined for a text that is no cursor of a pet: ids begin at 1. */
export function idOfCursor(cursor: string): bigint | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const id = parseCanonicalInt64(text.slice(PREFIX.length));
  // Decoding is lenient, even about the prefix. Only a text that encodes back to itself is a cursor.
  return id !== undefined && id > 0n && cursorOf(id) === cursor ? id : undefined;
}

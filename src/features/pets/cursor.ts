import { invalidRequest } from '../../lib/errors.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';

/** A place in a list by `newest`: the pet there, or a pet that could be there. */
export interface PetPlace {
  id: bigint;
  createdAt: Date;
}

const PREFIX = 'pet:';
const NEWEST = 'newest:';

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

/** An opaque position in the list by `newest`. */
export function newestCursorOf({ id, createdAt }: PetPlace): string {
  return Buffer.from(`${NEWEST}${createdAt.getTime()}:${id}`).toString('base64url');
}

/** @throws ApiError invalid_request for a text that is no cursor of a list by `newest` */
export function parseNewestCursor(cursor: string, field: string): PetPlace {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [time = '', id = ''] = text.slice(NEWEST.length).split(':');
  const [ms, parsedId] = [parseCanonicalInt64(time), parseCanonicalInt64(id)];
  const place = ms !== undefined && parsedId !== undefined && placeAt(Number(ms), parsedId);
  if (!place || newestCursorOf(place) !== cursor)
    throw invalidRequest({
      field,
      message: 'must be a cursor from an earlier page of this list, in the order `newest`',
    });
  return place;
}

function placeAt(ms: number, id: bigint): PetPlace | undefined {
  const createdAt = new Date(ms);
  return Number.isNaN(createdAt.getTime()) ? undefined : { id, createdAt };
}

import { type ApiError, invalidRequest } from './errors.js';

/** Encodes a place in a list as an opaque text. */
export function encodeCursor(place: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Decodes a cursor of encodeCursor. The caller checks the types. @throws ApiError invalid_request */
export function decodeCursor(cursor: string): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(place)) return place;
  } catch {
    // Not JSON: reported below.
  }
  throw badCursor();
}

export function badCursor(): ApiError {
  return invalidRequest({
    field: 'after',
    message: 'must be a cursor from an earlier page of the same list',
  });
}

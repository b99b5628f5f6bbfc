import { invalidRequest } from '../../lib/errors.js';
import { idOfCursor } from './cursor.js';
import type { Pet, PetStatus } from './pet.js';

export interface PetsQuery {
  limit: number;
  status?: PetStatus;
  /** Only pets with a greater id. */
  afterId?: bigint;
}

export interface PetsPage {
  /** At most `limit` pets, by ascending id. */
  pets: readonly Pet[];
  hasMore: boolean;
}

/** @throws ApiError invalid_request for a cursor that no list returned */
export function parseAfter(cursor: string): bigint {
  const id = idOfCursor(cursor);
  if (id === undefined)
    throw invalidRequest({ field: 'after', message: 'must be a cursor from an earlier page' });
  return id;
}

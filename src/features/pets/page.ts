import { invalidRequest } from '../../lib/errors.js';
import { idOfCursor } from './cursor.js';
import type { Pet, PetStatus } from './pet.js';

/** Specification 8.1. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const;

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

/** @throws ApiError invalid_request; values out of range are never clamped */
export function checkPageSize(value: number, field: string): number {
  if (!Number.isInteger(value) || value < PAGE_SIZE.minimum || value > PAGE_SIZE.maximum)
    throw invalidRequest({
      field,
      message: `must be an integer from ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}`,
    });
  return value;
}

/** @throws ApiError invalid_request for a cursor that no list returned */
export function parseAfter(cursor: string): bigint {
  const id = idOfCursor(cursor);
  if (id === undefined)
    throw invalidRequest({ field: 'after', message: 'must be a cursor from an earlier page' });
  return id;
}

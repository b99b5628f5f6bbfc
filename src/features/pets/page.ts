import { invalidRequest } from '../../lib/errors.js';
import { idOfCursor, type PetPlace } from './cursor.js';
import type { Pet, PetStatus } from './pet.js';

export const PET_ORDERS = ['id', 'newest'] as const;
/** `id`: by ascending id. `newest`: by time of creation, the latest first. */
export type PetOrder = (typeof PET_ORDERS)[number];

/** A pet must match every condition that is set. */
export interface PetsFilter {
  status?: PetStatus;
  categoryId?: bigint;
  /** 1 to MAX_SEARCH_LENGTH characters. */
  nameContains?: string;
  /** The pets of this project; null: those of no project. */
  projectId?: string | null;
  /** The pet of the project with exactly this number of its own. Without `projectId`: none. */
  externalId?: string;
}

export interface PetsQuery extends PetsFilter {
  limit: number;
  /** Only pets that come after this one in the order of the list. */
  afterId?: bigint;
  /** When the pet with `afterId` was created. Set if and only if `afterId` is set and the order is `newest`. */
  afterTime?: Date;
  /** Defaults to `id`. */
  orderBy?: PetOrder;
  /** Reads the list from its end: the order is reversed. */
  isBackward?: boolean;
}

export interface PetsPage {
  /** At most `limit` pets, in the order of the list, or in reverse if it is read backward. */
  pets: readonly Pet[];
  /** Exact, but for a page that ends at `end`. */
  hasMore: boolean;
  /**
   * Set if the page is shorter than its limit because the store examined MAX_EXAMINED pets for it: the place to continue
   * from. More pets may follow.
   */
  end?: PetPlace;
}

/** Maximum number of pets that a store examines one by one for a page with several conditions. */
export const MAX_EXAMINED = 2000;
/** Up to this number, a count is exact. */
export const MAX_COUNTED = 10_000;
export const MAX_SEARCH_LENGTH = 64;

/** @throws ApiError invalid_request for a cursor that no list returned */
export function parseAfter(cursor: string, field = 'after'): bigint {
  const id = idOfCursor(cursor);
  if (id === undefined)
    throw invalidRequest({
      field,
      message: 'must be a cursor from an earlier page of this list, in this order',
    });
  return id;
}

/** @throws ApiError invalid_request for a text that cannot be part of a name, or is too long */
export function checkSearch(text: string, field: string): string {
  const { length } = Array.from(text);
  if (length < 1 || length > MAX_SEARCH_LENGTH || /[\0\p{Surrogate}]/u.test(text))
    throw invalidRequest({
      field,
      message: `must have 1 to ${MAX_SEARCH_LENGTH} characters, without NUL and lone surrogates`,
    });
  return text;
}

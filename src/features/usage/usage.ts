/** The two interfaces of the API. */
export type ApiInterface = 'rest' | 'graphql';

/** Whose usage: one key's, or that of all keys of a project. */
export type UsageOf = 'key' | 'project';

/** The operation of whatever is none of the API, or was answered before it was read: names of clients' making have no end. */
export const OTHER_OPERATION = 'other';
/** A GraphQL request with different root fields. */
export const SEVERAL_OPERATIONS = 'several';

/** RFC 9110 has no status for it: the client went before it was answered. */
export const CLIENT_GONE = 499;
/** What counts as refused: the quota, a client's share of a browser key, a ban. */
export const REFUSED = 429;

/** Requests of one kind. */
export interface UsageGroup {
  interface: ApiInterface;
  /** As the API names it: listPets, createPet, getPet, a root field of GraphQL; bounded in number. */
  operation: string;
  status: number;
  requests: number;
  /** Units of quota that they were charged. */
  cost: number;
}

/** Why a request was answered 429. */
export interface Refusal {
  at: Date;
  code: string;
  message: string;
  interface: ApiInterface;
  operation: string;
  /** The one that refused: minute, day, or client for a client's share of a browser key. Undefined: a ban. */
  window?: string | undefined;
  limit?: number | undefined;
  /** What the request would have been charged. */
  cost?: number | undefined;
  /** When the window resets, or the ban ends. */
  resetAt?: Date | undefined;
}

/** The refusals that are kept of a key and day. */
export const MAX_REFUSALS = 50;

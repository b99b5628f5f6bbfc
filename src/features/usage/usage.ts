/** The two interfaces of the API. */
export type ApiInterface = 'rest' | 'graphql';

/** Whether usage is of one key, or of all keys of a project. */
export type UsageOf = 'key' | 'project';

/**
 * The operation of requests outside the API, or answered before the operation was known: the set of names that clients
 * send is unbounded.
 */
export const OTHER_OPERATION = 'other';
/** The operation of a GraphQL request with different root fields. */
export const SEVERAL_OPERATIONS = 'several';

/** The client disconnected before the response. RFC 9110 defines no status for this. */
export const CLIENT_GONE = 499;
/** The status that counts as rejected: quota, a client's share of a browser key, or a ban. */
export const REFUSED = 429;

/** Requests of the same kind. */
export interface UsageGroup {
  interface: ApiInterface;
  /** The operation's name in the API: an operation of REST_OPERATIONS, or a root field of GraphQL; a bounded set. */
  operation: string;
  status: number;
  requests: number;
  /** Units of quota charged for the requests. */
  cost: number;
}

/** Why a request was answered with 429. */
export interface Refusal {
  at: Date;
  code: string;
  message: string;
  interface: ApiInterface;
  operation: string;
  /** The window of the key that rejected the request, or client: its share of a browser key. Undefined for a ban. */
  window?: string | undefined;
  limit?: number | undefined;
  /** Units that the request would have been charged. */
  cost?: number | undefined;
  /** When the window resets, or the ban ends. */
  resetAt?: Date | undefined;
}

/** A rejection of a request with a key of a project. */
export interface KeyRefusal extends Refusal {
  keyId: string;
}

/** How many rejections are kept per key and day, and per project and day. */
export const MAX_REFUSALS = 50;

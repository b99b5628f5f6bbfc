import { serviceUnavailable, type ApiError } from '../../lib/errors.js';

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
export const UNAUTHORIZED = 13;
export const AUTHENTICATION_FAILED = 18;
export const INDEX_NOT_FOUND = 27;
export const NAMESPACE_EXISTS = 48;
export const INDEX_OPTIONS_CONFLICT = 85;
export const INDEX_KEY_SPECS_CONFLICT = 86;
export const NOT_YET_INITIALIZED = 94;
export const INDEX_BUILD_ABORTED = 276;
const DUPLICATE_KEY = 11_000;

/** Whether MongoDB returned this error code, for a command or for one write of a batch. */
export function hasCode(error: unknown, code: number): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === code;
}

/** Whether MongoDB rejected a write because a document with the same unique key exists. */
export function isDuplicateKey(error: unknown): boolean {
  return hasCode(error, DUPLICATE_KEY);
}

/** For a write that MongoDB made, and that a failover may still undo. */
export function unconfirmedWrite(error: unknown): ApiError {
  return serviceUnavailable('The database could not confirm the write in time.', error);
}

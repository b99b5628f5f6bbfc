import { ApiError, type ErrorCode, serviceUnavailable } from '../../lib/errors.js';
import { FAILOVER_CODES } from '../../lib/failover-codes.js';

/** Error code and message for each status code that Express and the reader of bodies throw. */
const BY_STATUS: Record<number, [ErrorCode, string]> = {
  400: [
    'invalid_request',
    'The body cannot be read: it does not have the declared length or Content-Encoding.',
  ],
  413: ['payload_too_large', 'The body is larger than 64 KiB, or it is when decompressed.'],
};

/** Error names of the MongoDB driver and of Mongoose which mean that the database does not answer now. */
const STORE_ERROR =
  /^(Mongo|Mongoose)(Network|ServerSelection|NotConnected|PoolCleared|PoolClosed|WaitQueueTimeout|WriteConcern|OperationTimeout|ServerClosed|ClientClosed|TopologyClosed)/;

/**
 * Codes that a reachable MongoDB returns when it is the wrong member, is shutting down, or cannot read or write now:
 * ReadConcernMajorityNotAvailableYet, MaxTimeMSExpired, OutOfDiskSpace. The driver has already retried once.
 */
const STORE_ERROR_CODES: ReadonlySet<unknown> = new Set([...FAILOVER_CODES, 134, 50, 14_031]);

/**
 * Node's error codes for a broken connection. The driver usually wraps them, but not if the server closed the
 * connection at the moment of the write. While a request is processed, the stores are the only peers, so these errors
 * come from a store.
 */
const SOCKET_ERROR_CODES: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ETIMEDOUT']);

/** Returns the error to show to the client for any thrown value. An unknown error becomes `internal_error`. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof URIError)
    return new ApiError('not_found', 'The path is not valid percent-encoded UTF-8.');
  const { status } = thrown as { status?: unknown };
  if (isStoreError(thrown))
    return serviceUnavailable('The database does not answer at the moment. Retry in 2 s.', thrown);
  const known = typeof status === 'number' ? BY_STATUS[status] : undefined;
  if (known !== undefined) return new ApiError(known[0], known[1], { cause: thrown });
  return new ApiError(
    'internal_error',
    'The gateway failed to process the request. Quote the request id when you ask for help.',
    { cause: thrown },
  );
}

function isStoreError(thrown: unknown): boolean {
  const { name, code, errorResponse } = thrown as { name?: unknown; code?: unknown; errorResponse?: unknown };
  if (SOCKET_ERROR_CODES.has(code)) return true;
  if (typeof name !== 'string') return false;
  // MongoBulkWriteError wraps the error that ended the bulk write, which may be a network error.
  if (name === 'MongoBulkWriteError' && errorResponse instanceof Error) return isStoreError(errorResponse);
  return STORE_ERROR.test(name) || (name.startsWith('Mongo') && STORE_ERROR_CODES.has(code));
}

import { ApiError, type ErrorCode, serviceUnavailable } from '../../lib/errors.js';

/** What Express and its body parser mean by their status codes, in our words. */
const BY_STATUS: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request cannot be read.'],
  413: ['payload_too_large', 'The body, expanded, is larger than 64 KiB.'],
  415: ['unsupported_media_type', 'The Content-Encoding is not supported: send gzip, deflate, br, or none.'],
};

/** MongoDB's driver and Mongoose name their errors so; all of them mean that the store does not answer now. */
const STORE_ERROR =
  /^(Mongo|Mongoose)(Network|ServerSelection|NotConnected|PoolCleared|PoolClosed|WaitQueueTimeout|WriteConcern|OperationTimeout|ServerClosed|ClientClosed|TopologyClosed)/;

/**
 * What a MongoDB that is there answers when it is the wrong one, is about to end, or cannot write; the driver has tried
 * once more by then. NotWritablePrimary, NotPrimaryOrSecondary, NotPrimaryNoSecondaryOk, PrimarySteppedDown,
 * InterruptedDueToReplStateChange, InterruptedAtShutdown, ShutdownInProgress, ReadConcernMajorityNotAvailableYet,
 * MaxTimeMSExpired, ExceededTimeLimit, OutOfDiskSpace
 */
const STORE_ERROR_CODES: ReadonlySet<unknown> = new Set([
  10107, 13436, 13435, 189, 11602, 11600, 91, 134, 50, 262, 14031,
]);

/**
 * What Node says of a connection that broke. The driver wraps it as a rule, but not when the server had ended a
 * connection in the moment that it was written to. Nobody but the stores is talked to on a request's way.
 */
const SOCKET_ERROR_CODES: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ETIMEDOUT']);

/** The error that a client may see for whatever was thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof URIError) return new ApiError('not_found', 'There is nothing at this path.');
  const { status } = thrown as { status?: unknown };
  if (isStoreError(thrown)) return serviceUnavailable('The database does not answer at the moment.', thrown);
  const known = typeof status === 'number' ? BY_STATUS[status] : undefined;
  if (known !== undefined) return new ApiError(known[0], known[1], { cause: thrown });
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause: thrown });
}

function isStoreError(thrown: unknown): boolean {
  const { name, code, errorResponse } = thrown as { name?: unknown; code?: unknown; errorResponse?: unknown };
  if (SOCKET_ERROR_CODES.has(code)) return true;
  if (typeof name !== 'string') return false;
  // Wraps whatever ended it, an error of the network as well.
  if (name === 'MongoBulkWriteError' && errorResponse instanceof Error) return isStoreError(errorResponse);
  return STORE_ERROR.test(name) || (name.startsWith('Mongo') && STORE_ERROR_CODES.has(code));
}

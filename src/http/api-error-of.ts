import { ApiError, type ErrorCode, serviceUnavailable } from '../lib/errors.js';

/** What Express and its body parser mean by their status codes, in our words. */
const BY_STATUS: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request cannot be read.'],
  413: ['payload_too_large', 'The body, expanded, is larger than 64 KiB.'],
  415: ['unsupported_media_type', 'The Content-Encoding is not supported: send gzip, deflate, br, or none.'],
};

/** MongoDB's driver and Mongoose name their errors so; all of them mean that the store does not answer now. */
const STORE_ERROR =
  /^(Mongo|Mongoose)(Network|ServerSelection|NotConnected|PoolCleared|PoolClosed|WaitQueueTimeout|WriteConcern|OperationTimeout|ServerClosed|ClientClosed|TopologyClosed)/;

/** The error that a client may see for whatever was thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof URIError) return new ApiError('not_found', 'There is nothing at this path.');
  const { name, status } = thrown as { name?: unknown; status?: unknown };
  if (typeof name === 'string' && STORE_ERROR.test(name))
    return serviceUnavailable('The database does not answer at the moment.', thrown);
  const known = typeof status === 'number' ? BY_STATUS[status] : undefined;
  if (known !== undefined) return new ApiError(known[0], known[1], { cause: thrown });
  return new ApiError('internal_error', 'Something went wrong on our side.', { cause: thrown });
}

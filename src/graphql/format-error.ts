import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toApiError } from '../http/api-error-of.js';
import { ApiError } from '../lib/errors.js';

/** Apollo's own codes, all of them about a request that cannot be executed as it stands. */
const REQUEST_FAULTS: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** The extensions of an error: the same code and status as REST answers. */
export function errorExtensions({
  code,
  status,
  details,
  retryAfterSeconds,
}: ApiError): Record<string, unknown> {
  return { code, status, ...(details && { details }), ...(retryAfterSeconds && { retryAfterSeconds }) };
}

/** What a client sees of an error in a GraphQL answer. What is not ours is masked; `onInternal` gets its reason. */
export function formatError(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  onInternal: (error: ApiError) => void,
): GraphQLFormattedError {
  const { message, locations, path } = formatted;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  if (REQUEST_FAULTS.has(formatted.extensions?.['code'])) {
    const fault = new ApiError('invalid_request', message);
    return { message, ...place, extensions: errorExtensions(fault) };
  }
  const original = unwrapResolverError(thrown);
  const error = toApiError(
    original instanceof GraphQLError ? (original.originalError ?? original) : original,
  );
  if (error.status >= 500) onInternal(error);
  return { message: error.message, ...place, extensions: errorExtensions(error) };
}

import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toApiError } from '../http/api-error-of.js';
import { ApiError } from '../lib/errors.js';
import { variableFault } from './variable-fault.js';

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
  return {
    code,
    status,
    ...(details && { details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** What a client sees of an error in a GraphQL answer: where it happened, and what of it is meant for clients. */
export function formatError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const error = apiErrorOf(thrown);
  return {
    message: error.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: errorExtensions(error),
  };
}

/** What a client sees of a document that is not valid: all of it is about what the client sent. */
export function formatDocumentError({ message, locations }: GraphQLError): GraphQLFormattedError {
  const extensions = errorExtensions(new ApiError('invalid_request', message));
  return { message, ...(locations && { locations: [...locations] }), extensions };
}

/** The error of ours that a thrown one stands for. What is neither ours nor about the document is masked. */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof GraphQLError && REQUEST_FAULTS.has(thrown.extensions['code'])) {
    const fault = variableFault(thrown);
    return new ApiError('invalid_request', thrown.message, fault && { details: { fields: [fault] } });
  }
  const original = innermost(unwrapResolverError(thrown));
  // graphql-js points into the document at what a client did; what a resolver answered wrongly has no such place.
  if (original instanceof GraphQLError && original.locations !== undefined)
    return new ApiError('invalid_request', original.message);
  return toApiError(original);
}

function innermost(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError !== undefined
    ? innermost(thrown.originalError)
    : thrown;
}

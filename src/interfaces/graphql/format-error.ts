import { unwrapResolverError } from '@apollo/server/errors';
import {
  GraphQLError,
  Kind,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import { toApiError } from '../../http/answers/api-error-of.js';
import { ApiError, type FieldFault } from '../../lib/errors.js';
import { withArgumentPaths } from './argument-faults.js';
import { withHint } from './hint.js';
import { placeOf } from './place-of.js';
import { variableFault } from './variable-fault.js';

/** Apollo's own codes, all of them about a request that cannot be executed as it stands. */
const REQUEST_FAULTS: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** Parts of a document that graphql-js finds fault with and does not name: it says where they are only. */
const NAMELESS: ReadonlySet<Kind> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
  Kind.OBJECT_FIELD,
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
export function formatErrorOf(schema: GraphQLSchema) {
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { locations, path } = formatted;
    const refused = apiErrorOf(thrown, (message) => withHint(schema, message));
    const error = withArgumentPaths(schema, thrown, refused);
    return {
      message: error.message,
      ...(locations && { locations }),
      ...(path && { path }),
      extensions: errorExtensions(error),
    };
  };
}

/** What a client sees of a document that is not valid: all of it is about what the client sent. */
export function formatDocumentError(
  schema: GraphQLSchema,
  document: DocumentNode | undefined,
  { message, locations, nodes: [node] = [] }: GraphQLError,
): GraphQLFormattedError {
  const hinted = withHint(schema, message);
  const place = document && node && NAMELESS.has(node.kind) ? placeOf(document, node) : undefined;
  const error =
    place === undefined
      ? new ApiError('invalid_request', hinted)
      : refusal(`${place.description}: ${hinted}`, { field: place.field, message: hinted });
  return { ...formatRefusal(error), ...(locations && { locations: [...locations] }) };
}

/** What a client sees where there is no place in a document to point at. */
export function formatRefusal(error: ApiError): GraphQLFormattedError {
  return { message: error.message, extensions: errorExtensions(error) };
}

/**
 * The error of ours that a thrown one stands for. What is neither ours nor about the document is masked. `advise` adds
 * what to do to a message of graphql-js.
 */
export function apiErrorOf(thrown: unknown, advise = (message: string) => message): ApiError {
  if (thrown instanceof GraphQLError && REQUEST_FAULTS.has(thrown.extensions['code'])) {
    const fault = variableFault(thrown);
    if (fault === undefined) return new ApiError('invalid_request', advise(thrown.message));
    const message = advise(fault.message);
    return refusal(`Variable "$${fault.field}": ${message}`, { field: fault.field, message });
  }
  const original = innermost(unwrapResolverError(thrown));
  // graphql-js points into the document at what a client did; what a resolver answered wrongly has no such place.
  if (original instanceof GraphQLError && original.locations !== undefined)
    return new ApiError('invalid_request', original.message);
  return toApiError(original);
}

function refusal(message: string, fault: FieldFault): ApiError {
  return new ApiError('invalid_request', message, { details: { fields: [fault] } });
}

function innermost(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError !== undefined
    ? innermost(thrown.originalError)
    : thrown;
}

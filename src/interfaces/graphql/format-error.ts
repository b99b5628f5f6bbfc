import { unwrapResolverError } from '@apollo/server/errors';
import {
  GraphQLError,
  Kind,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import type { RequestHandler } from 'express';
import { toApiError } from '../../http/answers/api-error-of.js';
import { ApiError, type FieldFault } from '../../lib/errors.js';
import { withArgumentPaths, placeOf, variableFault } from './faults.js';
import { withHint } from './hint.js';
import { requestContextOf, pathOf } from '../../http/steps/request-context.js';
import { contentTypeOf, mediaTypeOf, PLAIN_JSON } from './answer.js';

/** Apollo's codes for faults in the request itself. */
const REQUEST_FAULTS: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** Kinds of nodes for which graphql-js reports only a location and no name. */
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

/** Returns the extensions of an error, with the same code and status as in REST. */
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

/** Returns a function that formats an error in a GraphQL response: its place, and the parts meant for clients. */
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

/** Formats an error of an invalid document. Clients may see all of it, because it is only about their own document. */
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

/** Formats an error that has no place in a document. */
export function formatRefusal(error: ApiError): GraphQLFormattedError {
  return { message: error.message, extensions: errorExtensions(error) };
}

/**
 * Returns the ApiError for a thrown value. Errors that are neither ApiErrors nor about the document are masked.
 * @param advise adds a remedy to a message of graphql-js
 */
export function apiErrorOf(thrown: unknown, advise = (message: string) => message): ApiError {
  if (thrown instanceof GraphQLError && REQUEST_FAULTS.has(thrown.extensions['code'])) {
    const fault = variableFault(thrown);
    if (fault === undefined) return new ApiError('invalid_request', advise(thrown.message));
    const message = advise(fault.message);
    return refusal(`Variable "$${fault.field}": ${message}`, { field: fault.field, message });
  }
  const original = innermost(unwrapResolverError(thrown));
  // graphql-js sets locations for faults of the client. An invalid value that a resolver returns has none.
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

/** Marks a request at or below /graphql as GraphQL, so that errors of the shared steps have the form of GraphQL. */
export const speakGraphQL: RequestHandler = (req, res, next) => {
  if (/^\/graphql(\/|$)/.test(pathOf(req))) {
    const context = requestContextOf(res);
    context.interface = 'graphql';
    // At a published site, /graphql is also part of the API, and charged.
    context.place = undefined;
    context.renderError = (error: ApiError, requestId: string) => ({
      contentType: contentTypeOf(mediaTypeOf(req) ?? PLAIN_JSON),
      body: JSON.stringify({
        errors: [{ message: error.message, extensions: { ...errorExtensions(error), requestId } }],
      }),
    });
  }
  next();
};

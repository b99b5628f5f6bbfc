import { unwrapResolverError } from '@apollo/server/errors';
import {
  getNamedType,
  GraphQLError,
  isInputObjectType,
  Kind,
  type GraphQLArgument,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import { docUrlOf } from '../../http/answers/doc-url.js';
import { toApiError } from '../../http/answers/api-error-of.js';
import { ApiError, faultsOf, invalidRequest } from '../../lib/errors.js';
import { hasBigInt } from '../../lib/exact-json.js';
import type { RequestContext } from '../../http/steps/request-context.js';

/** Apollo's codes for faults in the request itself. */
const REQUEST_FAULTS: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

/** Returns the extensions of an error, with the same code and status as in REST. */
function errorExtensions({ code, status, details, retryAfterSeconds }: ApiError): Record<string, unknown> {
  return {
    code,
    status,
    ...(details && { details: hasBigInt(details) ? withTexts(details) : details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** Int64 is a string in this interface. */
function withTexts(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  );
}

/** Returns a function that formats an error in a GraphQL response: its place, and the parts meant for clients. */
export function formatErrorOf(schema: GraphQLSchema) {
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { locations, path } = formatted;
    const error = withArgumentPaths(schema, thrown, apiErrorOf(thrown));
    return {
      message: error.message,
      ...(locations && { locations }),
      ...(path && { path }),
      extensions: errorExtensions(error),
    };
  };
}

/**
 * Formats an error of an invalid document or of invalid variables. Clients may see all of it, because it is only about
 * what they sent.
 */
export function formatDocumentError({
  message,
  locations,
  originalError,
}: GraphQLError): GraphQLFormattedError {
  const error = originalError instanceof ApiError ? originalError : new ApiError('invalid_request', message);
  return { ...formatRefusal(error), ...(locations && { locations: [...locations] }) };
}

/**
 * Adds the request id and the URL of the code's explanation to an error, as in the Error object of REST: a user may
 * quote nothing but the error.
 */
export function ofRequest(
  error: GraphQLFormattedError,
  { requestId, gatewayUrl }: Pick<RequestContext, 'requestId' | 'gatewayUrl'>,
): GraphQLFormattedError {
  const docUrl = docUrlOf(String(error.extensions?.['code']), gatewayUrl);
  return { ...error, extensions: { ...error.extensions, requestId, docUrl } };
}

/** Formats an error that has no place in a document. */
export function formatRefusal(error: ApiError): GraphQLFormattedError {
  return { message: error.message, extensions: errorExtensions(error) };
}

/** Returns the ApiError for a thrown value. Errors that are neither ApiErrors nor about the request are masked. */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof GraphQLError && REQUEST_FAULTS.has(thrown.extensions['code']))
    return new ApiError('invalid_request', thrown.message);
  const original = innermost(unwrapResolverError(thrown));
  // graphql-js sets locations for faults of the client. An invalid value that a resolver returns has none.
  if (original instanceof GraphQLError && original.locations !== undefined)
    return new ApiError('invalid_request', original.message);
  return toApiError(original);
}

function innermost(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError !== undefined
    ? innermost(thrown.originalError)
    : thrown;
}

/**
 * Returns the error with each faulty field named by its path in the arguments, `input.name`, as graphql-js names them.
 * The services know only a value's own name. Only errors of a root field change.
 */
function withArgumentPaths(schema: GraphQLSchema, thrown: unknown, error: ApiError): ApiError {
  const faults = faultsOf(error);
  const args = argumentsOf(schema, thrown);
  if (error.code !== 'invalid_request' || faults.length === 0 || args.length === 0) return error;
  return invalidRequest(faults.map(({ field, message }) => ({ field: pathIn(args, field), message })));
}

/** Returns the arguments of the root field that threw. No name is in both root types. */
function argumentsOf(schema: GraphQLSchema, thrown: unknown): readonly GraphQLArgument[] {
  if (!(thrown instanceof GraphQLError) || thrown.path?.length !== 1) return [];
  const [node] = thrown.nodes ?? [];
  if (node?.kind !== Kind.FIELD) return [];
  const { value: name } = node.name;
  const field = schema.getMutationType()?.getFields()[name] ?? schema.getQueryType()?.getFields()[name];
  return field?.args ?? [];
}

function pathIn(args: readonly GraphQLArgument[], field: string): string {
  const [first = field] = field.split(/[.[]/, 1);
  if (args.some(({ name }) => name === first)) return field;
  const holder = args.find(({ type }) => {
    const named = getNamedType(type);
    return isInputObjectType(named) && first in named.getFields();
  });
  return holder === undefined ? field : `${holder.name}.${field}`;
}

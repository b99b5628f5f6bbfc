import type { Request } from 'express';
import { assertJsonBody, jsonOf } from '../../http/steps/read-body.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { describeValue } from '../../lib/received.js';
import { JsonSyntaxError, parseJson, type JsonObject, type JsonValue } from '../../lib/parse-json.js';

/** One operation and its document. */
export interface GraphQLRequest {
  query: string;
  operationName: string | undefined;
  variables: JsonObject;
}

/** A document as a client requests it: at least one of the three is set. */
export interface AskedDocument {
  query: string | undefined;
  /** GraphQL over HTTP, appendix A. */
  documentId: string | undefined;
  /** Apollo's `extensions.persistedQuery.sha256Hash`. */
  hash: string | undefined;
}

/** One operation as a client requests it (GraphQL over HTTP, 5.1). */
export type AskedOperation = AskedDocument & Omit<GraphQLRequest, 'query'>;

export interface GraphQLRequests {
  requests: readonly AskedOperation[];
  /** Whether the request body is an array, so that the response is an array too. */
  isBatch: boolean;
}

const MAX_BATCH = 10;
const PARAMETERS: readonly string[] = ['query', 'documentId', 'operationName', 'variables', 'extensions'];

/** @throws ApiError invalid_request, method_not_allowed, unsupported_media_type */
export function readRequests(req: Request): GraphQLRequests {
  switch (req.method) {
    case 'GET':
    case 'HEAD':
      return { requests: [toRequest(fromQuery(req.originalUrl))], isBatch: false };
    case 'POST':
      assertJsonBody(req);
      return fromBody(jsonOf(req));
    default:
      throw new ApiError(
        'method_not_allowed',
        `${req.method} is not supported at this path. Use GET or POST.`,
      );
  }
}

function fromBody(body: JsonValue): GraphQLRequests {
  if (!Array.isArray(body)) return { requests: [toRequest(body)], isBatch: false };
  if (body.length === 0 || body.length > MAX_BATCH)
    throw invalidRequest({
      field: 'body',
      message: `a batch has 1 to ${MAX_BATCH} operations, not ${body.length}: send several requests`,
    });
  return { requests: body.map((entry, i) => toRequest(entry, `[${i}]`)), isBatch: true };
}

/**
 * Reads the parameters of a GET request. `variables` and `extensions` are JSON, read by the same parser as a body, so
 * that int64 values stay exact.
 */
function fromQuery(url: string): JsonObject {
  const start = url.indexOf('?');
  const text = start === -1 ? '' : url.slice(start + 1);
  assertUtf8(text);
  const parameters = new URLSearchParams(text);
  const request: JsonObject = {};
  for (const name of PARAMETERS) {
    const [text, second] = parameters.getAll(name);
    if (second !== undefined) throw invalidRequest({ field: name, message: 'was given more than once' });
    // An empty text is no JSON: it means no variables and no extensions.
    if (text === undefined || (isJson(name) && text === '')) continue;
    request[name] = isJson(name) ? parseParameter(name, text) : text;
  }
  return request;
}

function isJson(parameter: string): boolean {
  return parameter === 'variables' || parameter === 'extensions';
}

/**
 * URLSearchParams would insert replacement characters for bytes that are not UTF-8. @throws ApiError invalid_request
 */
function assertUtf8(query: string): void {
  try {
    decodeURIComponent(query);
  } catch {
    throw invalidRequest({ field: 'query string', message: 'must be percent-encoded UTF-8' });
  }
}

function parseParameter(field: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw invalidRequest({ field, message: error.message });
  }
}

/** @param entry the operation's place in a batch, such as `[0]` */
function toRequest(value: JsonValue, entry = ''): AskedOperation {
  const refuse = (member: string, message: string) =>
    invalidRequest({ field: entry === '' ? member : `${entry}.${member}`, message });
  if (!isObject(value))
    throw invalidRequest({
      field: entry === '' ? 'body' : entry,
      message: `must be a JSON object such as {"query": "{ pets { id } }"}; received ${describeValue(value)}`,
    });
  const { query, documentId, operationName, variables, extensions } = value;
  if (query !== undefined && typeof query !== 'string')
    throw refuse('query', `must be a string with the GraphQL document; received ${describeValue(query)}`);
  if (documentId != null && typeof documentId !== 'string')
    throw refuse('documentId', `must be a string; received ${describeValue(documentId)}`);
  if (operationName != null && typeof operationName !== 'string')
    throw refuse('operationName', `must be a string; received ${describeValue(operationName)}`);
  if (variables != null && !isObject(variables))
    throw refuse(
      'variables',
      `must be an object with a member for each variable; received ${describeValue(variables)}`,
    );
  if (extensions != null && !isObject(extensions))
    throw refuse('extensions', `must be an object; received ${describeValue(extensions)}`);
  const hash = hashOf(extensions?.['persistedQuery'], refuse);
  if (query === undefined && documentId == null && hash === undefined)
    throw refuse('query', 'is required: send the GraphQL document');
  return {
    query,
    documentId: documentId ?? undefined,
    hash,
    // An empty name means no name (GraphQL over HTTP, 5.2, of GET), however it is sent.
    operationName: operationName === '' ? undefined : (operationName ?? undefined),
    variables: variables ?? {},
  };
}

function hashOf(
  persistedQuery: JsonValue | undefined,
  refuse: (member: string, message: string) => ApiError,
): string | undefined {
  if (persistedQuery == null) return undefined;
  const { version, sha256Hash } = isObject(persistedQuery) ? persistedQuery : {};
  if (version !== 1 || typeof sha256Hash !== 'string')
    throw refuse('extensions.persistedQuery', 'must be {"version": 1, "sha256Hash": "…"}');
  return sha256Hash;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

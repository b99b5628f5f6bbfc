import type { ApolloServer } from '@apollo/server';
import type { RequestHandler, Response } from 'express';
import { getOperationAST, type GraphQLFormattedError, type OperationDefinitionNode } from 'graphql';
import { createApollo } from './apollo.js';
import { charge } from '../http/enforce-quota.js';
import { callerOf, exchangeOf } from '../http/exchange.js';
import { ApiError } from '../lib/errors.js';
import type { Services } from '../services.js';
import type { GraphQLContext } from './context.js';
import { costOf } from './cost.js';
import { createDocumentCache, type CheckedDocument } from './document-cache.js';
import { errorExtensions } from './format-error.js';
import { createLoaders } from './loaders.js';
import { contentTypeOf, GRAPHQL_JSON, mediaTypeOf, type MediaType } from './media-type.js';
import { readRequests, type GraphQLRequest, type GraphQLRequests } from './read-requests.js';
import { renderCost } from './render-cost.js';
import { createSchema } from './schema.js';

interface Prepared {
  request: GraphQLRequest;
  checked: CheckedDocument;
  operation: OperationDefinitionNode | undefined;
  cost: number;
}

/** What is answered for one operation. */
interface Answer {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
  extensions: Record<string, unknown>;
}

/** The whole door over these services. */
export function createGraphQLDoor(services: Services): RequestHandler {
  const schema = createSchema(services);
  return graphqlDoor({
    apollo: createApollo(schema, services.log),
    check: createDocumentCache(schema),
    services,
  });
}

interface GraphQLDoorParts {
  apollo: ApolloServer<GraphQLContext>;
  check: (source: string) => CheckedDocument;
  services: Services;
}

/**
 * GraphQL over HTTP, from a read body on: parse and cost, one charge for the whole request, then media type and
 * execution. Apollo executes; its own HTTP layer is not used, because it reads GET variables with JSON.parse (which
 * loses int64) and sees a batch as separate requests (which have to be charged as one).
 */
function graphqlDoor({ apollo, check, services }: GraphQLDoorParts): RequestHandler {
  function prepare(request: GraphQLRequest): Prepared {
    const checked = check(request.query);
    const { document, errors } = checked;
    const operation =
      document === undefined || errors.length > 0
        ? undefined
        : (getOperationAST(document, request.operationName) ?? undefined);
    const cost =
      document === undefined || operation === undefined ? 1 : costOf(document, operation, request.variables);
    return { request, checked, operation, cost };
  }

  async function answer({ request, checked, cost }: Prepared, context: GraphQLContext): Promise<Answer> {
    const extensions = { cost: renderCost(cost, context.verdict.windows) };
    if (checked.errors.length > 0) return { errors: checked.errors.map(toRequestFault), extensions };
    const { body } = await apollo.executeOperation(request, { contextValue: context });
    if (body.kind !== 'single') throw new Error('incremental delivery is not enabled');
    const { data, errors } = body.singleResult;
    return { ...(errors && { errors }), ...(data !== undefined && { data }), extensions };
  }

  return async (req, res) => {
    const read = attempt(() => readRequests(req));
    const prepared = read instanceof ApiError ? [] : read.requests.map(prepare);
    // Whatever cannot be read costs 1, as any request does.
    const cost = prepared.reduce((sum, one) => sum + one.cost, 0);
    const verdict = await charge(res, Math.max(1, cost), services);
    if (read instanceof ApiError) throw withAllow(res, read);
    const mediaType = mediaTypeOf(req);
    if (mediaType === undefined)
      throw new ApiError('not_acceptable', `Answers are ${GRAPHQL_JSON} or application/json.`);
    if (req.method !== 'POST') assertOnlyQueries(res, prepared);

    const context: GraphQLContext = {
      requestId: exchangeOf(res).requestId,
      caller: callerOf(res),
      verdict,
      loaders: createLoaders(services),
    };
    send(res, mediaType, await Promise.all(prepared.map((one) => answer(one, context))), read);
  };
}

function send(
  res: Response,
  mediaType: MediaType,
  answers: readonly Answer[],
  { isBatch }: GraphQLRequests,
): void {
  const [first] = answers;
  const status = isBatch || first === undefined ? 200 : statusOf(first, mediaType);
  if (status === 503) res.setHeader('Retry-After', 2);
  res.setHeader('Content-Type', contentTypeOf(mediaType));
  res.status(status).send(Buffer.from(JSON.stringify(isBatch ? answers : first)));
}

/** GraphQL over HTTP 6.4.1 and 6.4.2; a store that is down is no partial answer, so that proxies and clients retry. */
function statusOf({ data, errors = [] }: Answer, mediaType: MediaType): number {
  const statuses = errors.map((error) => Number(error.extensions?.['status'] ?? 500));
  if (data === undefined) return mediaType === GRAPHQL_JSON ? (statuses[0] ?? 400) : 200;
  return data === null && statuses.length > 0 && statuses.every((status) => status === 503) ? 503 : 200;
}

function toRequestFault(error: {
  message: string;
  locations?: GraphQLFormattedError['locations'];
}): GraphQLFormattedError {
  const { message, locations } = error;
  const extensions = errorExtensions(new ApiError('invalid_request', message));
  return { message, ...(locations && { locations }), extensions };
}

/** A link must not change anything: GET is for queries (GraphQL over HTTP 5.3.1). */
function assertOnlyQueries(res: Response, prepared: readonly Prepared[]): void {
  const changing = prepared.find(
    ({ operation }) => operation !== undefined && operation.operation !== 'query',
  );
  if (changing === undefined) return;
  res.setHeader('Allow', 'POST');
  throw new ApiError('method_not_allowed', 'Mutations need POST.');
}

function withAllow(res: Response, error: ApiError): ApiError {
  if (error.code === 'method_not_allowed') res.setHeader('Allow', 'GET, HEAD, POST, OPTIONS');
  return error;
}

function attempt<T>(run: () => T): T | ApiError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

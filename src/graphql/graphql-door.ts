import type { ApolloServer } from '@apollo/server';
import type { RequestHandler, Response } from 'express';
import { OperationTypeNode } from 'graphql';
import { charge } from '../http/enforce-quota.js';
import { callerOf, exchangeOf } from '../http/exchange.js';
import { inTime } from '../http/in-time.js';
import { ApiError } from '../lib/errors.js';
import type { Services } from '../services.js';
import { sendAnswers, type Answer } from './answer.js';
import { createApollo } from './apollo.js';
import type { GraphQLContext } from './context.js';
import { formatDocumentError } from './format-error.js';
import { createLoaders } from './loaders.js';
import { GRAPHQL_JSON, mediaTypeOf } from './media-type.js';
import { assertFewNodes, createPrepare, type Prepared } from './prepare.js';
import { readRequests } from './read-requests.js';
import { renderCost } from './render-cost.js';
import { createSchema } from './schema.js';

const ALLOW = 'GET, HEAD, POST, OPTIONS';

/**
 * GraphQL over HTTP, from a read body on: parse and cost, one charge for the whole request, then media type and
 * execution. Apollo executes; its own HTTP layer is not used, because it reads GET variables with JSON.parse (which
 * loses int64) and sees a batch as separate requests (which have to be charged as one).
 */
export function createGraphQLDoor(services: Services): RequestHandler {
  const schema = createSchema(services);
  const apollo = createApollo(schema, services.log);
  const prepare = createPrepare(schema);

  return async (req, res) => {
    const read = attempt(() => readRequests(req));
    const prepared = read instanceof ApiError ? [] : read.requests.map(prepare);
    // Whatever cannot be read costs 1, as any request does.
    const cost = prepared.reduce((sum, one) => sum + one.cost, 0);
    const verdict = await charge(res, Math.max(1, cost), services);
    if (req.method === 'OPTIONS') {
      res.setHeader('Allow', ALLOW);
      res.status(204).end();
      return;
    }
    if (read instanceof ApiError) throw withAllow(res, read);
    const mediaType = mediaTypeOf(req);
    if (mediaType === undefined)
      throw new ApiError('not_acceptable', `Answers are ${GRAPHQL_JSON} or application/json.`);
    if (req.method !== 'POST') assertOnlyQueries(res, prepared);
    assertFewNodes(prepared);

    const context: GraphQLContext = {
      requestId: exchangeOf(res).requestId,
      caller: callerOf(res),
      verdict,
      loaders: createLoaders(services),
    };
    const answers = await inTime(Promise.all(prepared.map((one) => answer(apollo, one, context))));
    sendAnswers(res, mediaType, answers, read.isBatch);
  };
}

async function answer(
  apollo: ApolloServer<GraphQLContext>,
  { request, errors, cost }: Prepared,
  context: GraphQLContext,
): Promise<Answer> {
  const extensions = { cost: renderCost(cost, context.verdict.windows) };
  if (errors.length > 0) return named({ errors: errors.map(formatDocumentError), extensions }, context);
  const { body } = await apollo.executeOperation(request, { contextValue: context });
  if (body.kind !== 'single') throw new Error('incremental delivery is not enabled');
  const { data, errors: thrown } = body.singleResult;
  return named(
    { ...(thrown && { errors: thrown }), ...(data !== undefined && { data }), extensions },
    context,
  );
}

/** Each error names the request, as the Error object of REST does: it may be all that somebody quotes. */
function named({ errors, ...rest }: Answer, { requestId }: GraphQLContext): Answer {
  if (errors === undefined) return rest;
  return {
    errors: errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } })),
    ...rest,
  };
}

/** A link must not change anything: GET is for queries (GraphQL over HTTP 5.3.1). */
function assertOnlyQueries(res: Response, prepared: readonly Prepared[]): void {
  const changing = prepared.find(
    ({ operation }) => operation !== undefined && operation.operation !== OperationTypeNode.QUERY,
  );
  if (changing === undefined) return;
  res.setHeader('Allow', 'POST');
  throw new ApiError('method_not_allowed', 'Mutations need POST.');
}

function withAllow(res: Response, error: ApiError): ApiError {
  if (error.code === 'method_not_allowed') res.setHeader('Allow', ALLOW);
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

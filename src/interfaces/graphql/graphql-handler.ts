import type { RequestHandler, Response } from 'express';
import { OperationTypeNode } from 'graphql';
import { charge, chargeClient, chargePetsOfSession, requireQuota } from '../../http/steps/enforce-quota.js';
import { callerOf, requestContextOf } from '../../http/steps/request-context.js';
import { inTime } from '../../lib/in-time.js';
import { resultOf } from '../../lib/result-of.js';
import { ApiError } from '../../lib/errors.js';
import type { GraphQLParts } from './parts.js';
import { allowedDocuments } from './find-document.js';
import { sendAnswers, GRAPHQL_JSON, mediaTypeOf } from './answer.js';
import { createApollo, createExecute } from './execute.js';
import { createDocumentCache } from './document-cache.js';
import { createHeavyReads, signalOf } from './heavy-reads.js';
import type { GraphQLContext } from './schema/context.js';
import { announceDeprecations } from './schema/annotate-fields.js';
import { createLoaders } from './schema/loaders.js';
import { oneOf } from './cost.js';
import { createPersistedOperations } from './persisted-operations.js';
import { assertFewNodes, createPreparing, type Prepared } from './prepare.js';
import { readRequests } from './read-requests.js';
import { createSchema } from './schema/schema.js';

const ALLOW = 'GET, HEAD, POST, OPTIONS';

/**
 * Handles GraphQL over HTTP after the body is read. The order: check the remaining quota, parse, find the cost, charge
 * the whole request once, negotiate the media type, execute. Apollo only executes. Its HTTP layer is not used, because
 * it reads GET variables with JSON.parse, which loses int64, and treats a batch as separate requests, which must be
 * charged as one.
 * @param pageDocuments the documents that the dashboard sends
 */
export function createGraphQLHandler(
  services: GraphQLParts,
  pageDocuments: readonly string[],
): RequestHandler {
  const schema = createSchema(services);
  const { graphqlOperations } = services.config;
  const operations = createPersistedOperations(graphqlOperations.listed, pageDocuments);
  const checked = createDocumentCache(schema, services.cacheStatistics.documents, operations?.has);
  const documents = createPreparing(schema, checked, services.clock, operations);
  const execute = services.tracing.execution(
    createExecute(createApollo(schema, checked, services.log), services.clock, services.log),
  );

  const heavyReads = createHeavyReads();

  return async (req, res) => {
    await chargeClient(res, 1, services);
    const read = resultOf(() => readRequests(req));
    const requests = read instanceof ApiError ? [] : read.requests;
    // Each entry of a batch costs at least 1.
    await chargeClient(res, Math.max(1, requests.length), services);
    if (documents.parses(requests)) await requireQuota(res, requests.length, services);
    const prepared = documents.prepare(requests, allowedDocuments(res, graphqlOperations));
    announceDeprecations(
      res,
      prepared.flatMap(({ deprecated }) => deprecated),
    );
    requestContextOf(res).operation = oneOf(prepared.map(({ name }) => name));
    // A request that cannot be read costs 1, like every request.
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
      throw new ApiError(
        'not_acceptable',
        `Responses are ${GRAPHQL_JSON} or application/json, which the Accept header excludes.`,
      );
    if (req.method !== 'POST') assertOnlyQueries(res, prepared);
    assertFewNodes(prepared);
    const petsCost = prepared.reduce((sum, one) => sum + one.petsCost, 0);
    const petsVerdict = await chargePetsOfSession(res, petsCost, services);

    const caller = callerOf(res);
    const signal = signalOf(res);
    const heavyRead = heavyReads.of(caller.project?.id ?? caller.key.id, signal);
    const context: GraphQLContext = {
      requestId: requestContextOf(res).requestId,
      publicUrl: requestContextOf(res).publicUrl,
      caller,
      verdict: petsVerdict ?? verdict,
      isBySession: requestContextOf(res).isBySession === true,
      loaders: createLoaders(services, heavyRead),
      heavyRead,
      signal,
    };
    const answers = await inTime(Promise.all(prepared.map((one) => execute(one, context))));
    sendAnswers(res, mediaType, answers, read.isBatch);
  };
}

/**
 * Following a link must not change anything, so GET is for queries only (GraphQL over HTTP 5.3.1).
 * @throws ApiError method_not_allowed
 */
function assertOnlyQueries(res: Response, prepared: readonly Prepared[]): void {
  const changing = prepared.find(
    ({ operation }) => operation !== undefined && operation.operation !== OperationTypeNode.QUERY,
  );
  if (changing === undefined) return;
  res.setHeader('Allow', 'POST');
  throw new ApiError('method_not_allowed', 'GET is for queries only. Send mutations by POST.');
}

function withAllow(res: Response, error: ApiError): ApiError {
  if (error.code === 'method_not_allowed') res.setHeader('Allow', ALLOW);
  return error;
}

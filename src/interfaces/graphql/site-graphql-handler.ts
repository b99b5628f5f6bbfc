import type { Request, RequestHandler, Response } from 'express';
import type { ClientState } from '../../features/limiter/client-limiter.js';
import { takeShare } from '../../http/steps/browser-key.js';
import { endWith } from '../../http/answers/end-with.js';
import { charge, chargeClient, requireQuota } from '../../http/steps/enforce-quota.js';
import { callerOf, requestContextOf } from '../../http/steps/request-context.js';
import { inTime } from '../../lib/in-time.js';
import { setShareHeaders } from '../../http/answers/rate-limit-headers.js';
import { resultOf } from '../../lib/result-of.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import type { GraphQLParts } from './parts.js';
import { allowedDocuments } from './find-document.js';
import {
  sendAnswers,
  type Answer,
  contentTypeOf,
  GRAPHQL_JSON,
  mediaTypeOf,
  type MediaType,
} from './answer.js';
import { createApollo, createExecute, renderExtensions } from './execute.js';
import { createDocumentCache } from './document-cache.js';
import { signalOf, type HeavyRead } from './heavy-reads.js';
import { createResponseCache, keyOf, type CachedResponse, type ResponseCache } from './response-cache.js';
import { announceDeprecations } from './schema/annotate-fields.js';
import { createLoaders } from './schema/loaders.js';
import { createPersistedOperations } from './persisted-operations.js';
import { assertFewNodes, createPreparing, type Prepared } from './prepare.js';
import { readRequests, type AskedOperation } from './read-requests.js';
import { createSiteSchema } from './schema/schema.js';

const ALLOW = 'GET, HEAD, POST';

type Found = NonNullable<ReturnType<ResponseCache['find']>>;

/**
 * Handles the /graphql of a published site: queries of pets, one operation per request. Equal requests share a response
 * for MAX_AGE_MS. Only a request that executes spends the project's quota. Every request spends its client's share of
 * the key, because a client cannot know whether its request will be the first.
 */
export function createSiteGraphQLHandler(services: GraphQLParts): RequestHandler {
  const { clock } = services;
  const schema = createSiteSchema(services);
  const { graphqlOperations } = services.config;
  const operations = createPersistedOperations(graphqlOperations.listed);
  const checked = createDocumentCache(schema, services.cacheStatistics.documents, operations?.has);
  const documents = createPreparing(schema, checked, clock, operations);
  const execute = services.tracing.execution(
    createExecute(createApollo(schema, checked, services.log), services.clock, services.log),
  );
  const answers = createResponseCache(clock, services.cacheStatistics.answers);

  async function run(res: Response, prepared: Prepared): Promise<Answer> {
    const verdict = await charge(res, prepared.cost, services);
    assertFewNodes([prepared]);
    const { requestId, publicUrl } = requestContextOf(res);
    const signal = signalOf(res);
    // Nothing in the schema of a site is a heavy read.
    const heavyRead: HeavyRead = (read) => read(signal);
    const context = {
      requestId,
      publicUrl,
      caller: callerOf(res),
      verdict,
      loaders: createLoaders(services, heavyRead),
      heavyRead,
      signal,
    };
    return inTime(execute(prepared, context));
  }

  /** Returns false if the response was under way and has failed: the cause may concern that client only. */
  async function answerFrom(
    found: Found,
    res: Response,
    prepared: Prepared,
    type: MediaType,
  ): Promise<boolean> {
    const share = takeShare(res, prepared.cost, services);
    const kept = await found;
    if (kept === undefined || share === undefined) {
      share?.refund();
      return false;
    }
    setShareHeaders(res, share.state, clock());
    sendKept(res, kept, prepared, { type, share: share.state, nowMs: clock() });
    return true;
  }

  return async (req, res) => {
    await chargeClient(res, 1, services);
    const asked = resultOf(() => readAsked(req, res));
    if (asked instanceof ApiError) {
      // A request that cannot be answered costs 1, like every request.
      await charge(res, 1, services);
      throw asked;
    }
    const { request, mediaType } = asked;
    // Cached responses stay available when the key's quota is used up, for documents that are already parsed.
    if (documents.parses([request])) await requireQuota(res, 1, services);
    const [prepared] = documents.prepare([request], allowedDocuments(res, graphqlOperations));
    if (prepared === undefined) throw new Error('one request is prepared as one');
    requestContextOf(res).operation = prepared.name;
    announceDeprecations(res, prepared.deprecated);
    const key = keyOf(prepared);
    const found = key === undefined ? undefined : answers.find(key);
    if (found !== undefined && (await answerFrom(found, res, prepared, mediaType))) return;
    // In the same turn of the event loop as `find`, so that of several equal requests only the first executes.
    const ask = () => run(res, prepared);
    sendAnswers(res, mediaType, [await (key === undefined ? ask() : answers.keep(key, ask))], false);
  };
}

/** @throws ApiError as readRequests; invalid_request for a batch; not_acceptable */
function readAsked(req: Request, res: Response): { request: AskedOperation; mediaType: MediaType } {
  if (!['GET', 'HEAD', 'POST'].includes(req.method)) res.setHeader('Allow', ALLOW);
  const { requests, isBatch } = readRequests(req);
  const [request] = requests;
  if (isBatch || request === undefined)
    throw invalidRequest({ field: 'body', message: 'must be a single operation: sites accept no batches' });
  const mediaType = mediaTypeOf(req);
  if (mediaType === undefined)
    throw new ApiError(
      'not_acceptable',
      `Responses are ${GRAPHQL_JSON} or application/json, which the Accept header excludes.`,
    );
  return { request, mediaType };
}

/** Sends a cached response. It lists the client's share only, because no window of the key was charged. */
function sendKept(
  res: Response,
  { data, readAtMs }: CachedResponse,
  prepared: Prepared,
  { type, share, nowMs }: { type: MediaType; share: ClientState; nowMs: number },
) {
  res.setHeader('Age', Math.max(0, Math.floor((nowMs - readAtMs) / 1000)));
  res.setHeader('Content-Type', contentTypeOf(type));
  endWith(
    res,
    `{"data":${data},"extensions":${JSON.stringify(renderExtensions(prepared, { windows: [], share }))}}`,
  );
}

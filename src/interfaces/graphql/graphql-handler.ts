import type { Request, RequestHandler, Response } from 'express';
import { OperationTypeNode, type GraphQLSchema } from 'graphql';
import { takeShare } from '../../http/steps/browser-key.js';
import { charge, chargeClient, chargePetsOfSession, requireQuota } from '../../http/steps/enforce-quota.js';
import { callerOf, requestContextOf } from '../../http/steps/request-context.js';
import { endWith } from '../../http/answers/end-with.js';
import { setShareHeaders } from '../../http/answers/rate-limit-headers.js';
import type { ClientState } from '../../features/limiter/client-limiter.js';
import { inTime } from '../../lib/in-time.js';
import { resultOf } from '../../lib/result-of.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import type { GraphQLParts } from './parts.js';
import { audienceOf } from './audience.js';
import { idempotencyKeyOf } from '../../http/steps/idempotency-key.js';
import { allowedDocuments } from './find-document.js';
import { sendAnswers, contentTypeOf, GRAPHQL_JSON, mediaTypeOf, type MediaType } from './answer.js';
import { createApollo, createExecute, renderExtensions } from './execute.js';
import { createDocumentCache } from './document-cache.js';
import { createHeavyReads, signalOf } from './heavy-reads.js';
import { createResponseCache, keyOf, type CachedResponse, type ResponseCache } from './response-cache.js';
import type { GraphQLContext } from './schema/context.js';
import { announceDeprecations } from './schema/annotate-fields.js';
import { createLoaders } from './schema/loaders.js';
import { oneOf } from './cost.js';
import { createPersistedOperations } from './persisted-operations.js';
import { assertFewNodes, createPreparing, type Prepared } from './prepare.js';
import { readRequests, type GraphQLRequests } from './read-requests.js';
import { createSchema, createSiteSchema } from './schema/schema.js';

type Found = NonNullable<ReturnType<ResponseCache['find']>>;

/** What differs between the operator's /graphql and that of a published site. */
interface Endpoint {
  schema: GraphQLSchema;
  /** The documents that the dashboard sends. */
  pageDocuments: readonly string[];
  /** As in the Allow header. */
  methods: string;
  /** @throws ApiError for a request that cannot be answered. It costs 1, like every request. */
  read: (req: Request) => GraphQLRequests;
  /** Set if equal requests share a response; `read` then returns one operation. */
  answers: ResponseCache | undefined;
}

/**
 * Handles the operator's /graphql.
 * @param pageDocuments the documents that the dashboard sends
 */
export function createGraphQLHandler(
  services: GraphQLParts,
  pageDocuments: readonly string[],
): RequestHandler {
  return handle(services, {
    schema: createSchema(services),
    pageDocuments,
    methods: 'GET, HEAD, POST, OPTIONS',
    read: readRequests,
    answers: undefined,
  });
}

/**
 * Handles the /graphql of a published site: queries of pets, one operation per request. Equal requests share a response
 * for MAX_AGE_MS. Only a request that executes spends the project's quota. Every request spends its client's share of
 * the key, because a client cannot know whether its request will be the first.
 */
export function createSiteGraphQLHandler(services: GraphQLParts): RequestHandler {
  return handle(services, {
    schema: createSiteSchema(services),
    pageDocuments: [],
    methods: 'GET, HEAD, POST',
    read: readOne,
    answers: createResponseCache(services.clock, services.cacheStatistics.answers),
  });
}

/**
 * Handles GraphQL over HTTP after the body is read. The order: check the remaining quota, parse, find the cost, charge
 * the whole request once, negotiate the media type, execute. Apollo only executes. Its HTTP layer is not used, because
 * it reads GET variables with JSON.parse, which loses int64, and treats a batch as separate requests, which must be
 * charged as one.
 */
function handle(services: GraphQLParts, endpoint: Endpoint): RequestHandler {
  const { schema, pageDocuments, methods, read, answers } = endpoint;
  const { clock, log, cacheStatistics } = services;
  const { graphqlOperations } = services.config;
  const operations = createPersistedOperations(graphqlOperations.listed, pageDocuments);
  const checked = createDocumentCache(schema, cacheStatistics.documents, operations?.has);
  const documents = createPreparing(schema, checked, clock, operations);
  const execute = services.tracing.execution(createExecute(createApollo(schema, checked, log), clock, log));
  const heavyReads = createHeavyReads();

  /** Charges a request and returns the context in which it may be executed. @throws ApiError if it may not */
  async function admit(req: Request, res: Response, prepared: readonly Prepared[]): Promise<GraphQLContext> {
    const verdict = await charge(res, sumOf(prepared, 'cost'), services);
    if (req.method !== 'POST') assertOnlyQueries(res, prepared);
    const idempotencyKey = keyFor(req, prepared);
    assertFewNodes(prepared);
    const petsVerdict = await chargePetsOfSession(res, sumOf(prepared, 'petsCost'), services);
    const { requestId, gatewayUrl, isBySession } = requestContextOf(res);
    const caller = callerOf(res);
    const signal = signalOf(res);
    const heavyRead = heavyReads.of(caller.project?.id ?? caller.key.id, signal);
    return {
      requestId,
      gatewayUrl,
      caller,
      verdict: petsVerdict ?? verdict,
      isBySession: isBySession === true,
      idempotencyKey,
      announceReplay: () => res.setHeader('Idempotency-Replayed', 'true'),
      loaders: createLoaders(services, heavyRead),
      heavyRead,
      signal,
      onlyPetsOf: onlyPetsOf(res),
    };
  }

  /** Returns false if the response was under way and has failed: the cause may concern that client only. */
  async function answerFrom(
    found: Found,
    res: Response,
    prepared: Prepared,
    mediaType: MediaType,
  ): Promise<boolean> {
    const share = takeShare(res, prepared.cost, services);
    const kept = await found;
    if (kept === undefined || share === undefined) {
      share?.refund();
      return false;
    }
    setShareHeaders(res, share.state, clock());
    sendKept(res, kept, prepared, { mediaType, share: share.state, nowMs: clock() });
    return true;
  }

  return async (req, res) => {
    await chargeClient(res, 1, services);
    const asked = resultOf(() => read(req));
    if (asked instanceof ApiError) {
      await charge(res, 1, services);
      if (asked.code === 'method_not_allowed') res.setHeader('Allow', methods);
      if (req.method !== 'OPTIONS' || !methods.includes('OPTIONS')) throw asked;
      res.status(204).end();
      return;
    }
    const { requests, isBatch } = asked;
    // Each entry of a batch costs at least 1.
    await chargeClient(res, requests.length, services);
    // Cached responses stay available when the key's quota is used up, for documents that are already parsed.
    if (documents.parses(requests)) await requireQuota(res, requests.length, services);
    const prepared = documents.prepare(requests, allowedDocuments(res, graphqlOperations));
    announceDeprecations(
      res,
      prepared.flatMap(({ deprecated }) => deprecated),
    );
    requestContextOf(res).operation = oneOf(prepared.map(({ name }) => name));
    const mediaType = mediaTypeOf(req);
    if (mediaType === undefined) {
      await charge(res, sumOf(prepared, 'cost'), services);
      throw notAcceptable();
    }
    const [first] = prepared;
    const audience = () =>
      audienceOf(first ?? { variesByCaller: false }, { caller: callerOf(res), onlyPetsOf: onlyPetsOf(res) });
    // A request with an Idempotency-Key is rejected or has a result of its own.
    const isShared = answers !== undefined && req.headers['idempotency-key'] === undefined;
    const key = !isShared || first === undefined ? undefined : keyOf(first, audience());
    if (answers === undefined || first === undefined || key === undefined) {
      const context = await admit(req, res, prepared);
      const executed = await inTime(Promise.all(prepared.map((one) => execute(one, context))));
      sendAnswers(res, mediaType, executed, isBatch);
      return;
    }
    const found = answers.find(key);
    if (found !== undefined && (await answerFrom(found, res, first, mediaType))) return;
    // In the same turn of the event loop as `find`, so that of several equal requests only the first executes.
    const run = async () => inTime(execute(first, await admit(req, res, prepared)));
    sendAnswers(res, mediaType, [await answers.keep(key, run)], isBatch);
  };
}

/** The project whose pets are all that a request can see: that of the site, unless its project shows all pets there. */
function onlyPetsOf(res: Response): string | undefined {
  if (requestContextOf(res).site === undefined) return undefined;
  const { project } = callerOf(res);
  return project?.siteAnimals === 'all' ? undefined : project?.id;
}

function sumOf(prepared: readonly Prepared[], part: 'cost' | 'petsCost'): number {
  return prepared.reduce((sum, one) => sum + one[part], 0);
}

/**
 * Returns the Idempotency-Key of a request. A document whose result no key can hold is rejected, so that the key is never
 * ignored.
 * @throws ApiError invalid_request
 */
function keyFor(req: Request, prepared: readonly Prepared[]): string | undefined {
  const key = idempotencyKeyOf(req);
  const [first, ...others] = prepared;
  if (key === undefined || first === undefined) return undefined;
  // A document that cannot be executed has its own errors.
  const isOne = first.errors.length > 0 || first.isIdempotent;
  if (others.length > 0 || !isOne)
    throw invalidRequest({
      field: 'Idempotency-Key',
      message:
        'is for a request with a single operation whose only root field is createPet, updatePet or deletePet',
    });
  return key;
}

/** @throws ApiError as readRequests; invalid_request for a batch; not_acceptable */
function readOne(req: Request): GraphQLRequests {
  const asked = readRequests(req);
  if (asked.isBatch)
    throw invalidRequest({ field: 'body', message: 'must be a single operation: sites accept no batches' });
  if (mediaTypeOf(req) === undefined) throw notAcceptable();
  return asked;
}

function notAcceptable(): ApiError {
  return new ApiError(
    'not_acceptable',
    `Responses are ${GRAPHQL_JSON} or application/json, which the Accept header excludes.`,
  );
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

/** Sends a cached response. It lists the client's share only, because no window of the key was charged. */
function sendKept(
  res: Response,
  { data, readAtMs }: CachedResponse,
  prepared: Prepared,
  { mediaType, share, nowMs }: { mediaType: MediaType; share: ClientState; nowMs: number },
): void {
  res.setHeader('Age', Math.max(0, Math.floor((nowMs - readAtMs) / 1000)));
  res.setHeader('Content-Type', contentTypeOf(mediaType));
  endWith(
    res,
    `{"data":${data},"extensions":${JSON.stringify(renderExtensions(prepared, { windows: [], share }))}}`,
  );
}

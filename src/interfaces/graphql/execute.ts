import type { ClientState } from '../../features/limiter/client-limiter.js';
import type { WindowState } from '../../features/plans/window.js';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logger.js';
import type { GraphQLContext } from './schema/context.js';
import { MAX_TOKENS, type DocumentCache } from './document-cache.js';
import { apiErrorOf, formatErrorOf, ofRequest } from './format-error.js';
import { shareReads } from './share-reads.js';
import { type Answer } from './answer.js';
import type { Prepared } from './prepare.js';

/** Creates Apollo as the executor: no landing page, no persisted queries that clients register, no stack traces. */
export function createApollo(
  schema: GraphQLSchema,
  documents: DocumentCache,
  log: Logger,
): ApolloServer<GraphQLContext> {
  return new ApolloServer<GraphQLContext>({
    schema,
    introspection: true,
    persistedQueries: false,
    documentStore: documents.store,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxLexicalTokens: MAX_TOKENS },
    // The handlers pass on valid documents only. Apollo's rules would take quadratic time for some documents.
    dangerouslyDisableValidation: true,
    nodeEnv: 'production',
    stopOnTerminationSignals: false,
    formatError: formatErrorOf(schema),
    // Its plugin for caches would wrap every field, to set a header that the gateway does not use.
    plugins: [ApolloServerPluginCacheControlDisabled(), logFailures(log)],
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: (m) => log.warn(m),
      error: (m) => log.error(m),
    },
  });
}

/** Logs masked errors and unavailable stores under the request id that the client received. */
function logFailures(log: Logger): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors({ errors, contextValue: { requestId, signal } }) {
          // What ends with its request is no failure. A request that took too long has its own line.
          if (signal.aborted) return Promise.resolve();
          for (const error of errors.map((one) => apiErrorOf(one)))
            if (error.status >= 500) log.error({ err: error.cause ?? error, requestId }, error.message);
          return Promise.resolve();
        },
      }),
  };
}

/** Executes one charged operation, or returns the errors that prevent its execution. */
export type Execute = (prepared: Prepared, context: GraphQLContext) => Promise<Answer>;

type Asked = Parameters<ApolloServer<GraphQLContext>['executeOperation']>[0];

/** What an execution returns, before it becomes the answer to a request. */
interface Executed extends Pick<Answer, 'data' | 'dataJson' | 'errors'> {
  /** The request in whose name it was executed, and under whose id its failures are logged. */
  requestId: string;
}

/** Equal reads of pets that several requests send at the same moment are executed and serialized once. */
export function createExecute(apollo: ApolloServer<GraphQLContext>, clock: Clock, log: Logger): Execute {
  async function run({ request }: Prepared, context: GraphQLContext): Promise<Executed> {
    const { query, operationName, variables } = request;
    const asked: Asked = { query, variables };
    if (operationName !== undefined) asked.operationName = operationName;
    const { body } = await apollo.executeOperation(asked, { contextValue: context });
    if (body.kind !== 'single') throw new Error('incremental delivery is not enabled');
    const { data, errors } = body.singleResult;
    return { data, errors, requestId: context.requestId };
  }

  const runShared = shareReads<Executed>(async (prepared, context) => {
    const executed = await run(prepared, context);
    if (executed.errors === undefined) executed.dataJson = JSON.stringify(executed.data);
    return executed;
  }, clock);

  /** The line of another request has the cause. */
  function logSharedFailure(errors: Executed['errors'], sharedWith: string, requestId: string): void {
    const failure = errors?.find(({ extensions }) => Number(extensions?.['status']) >= 500);
    if (failure !== undefined && sharedWith !== requestId)
      log.error({ requestId, sharedWith }, failure.message);
  }

  return async (prepared, context) => {
    const extensions = renderExtensions(prepared, context.verdict);
    const { requestId } = context;
    const executed =
      prepared.errors.length > 0
        ? { data: undefined, errors: prepared.errors, requestId }
        : await (prepared.isSharedRead ? runShared : run)(prepared, context);
    const { errors, data, dataJson } = executed;
    logSharedFailure(errors, executed.requestId, requestId);
    return { data, dataJson, errors: errors?.map((error) => ofRequest(error, context)), extensions };
  };
}

/**
 * `extensions` of each response: the cost, the windows after the charge with the client's share of a browser key among
 * them, and the requested fields that will be removed.
 */
export function renderExtensions(
  { cost, deprecated }: Pick<Prepared, 'cost' | 'deprecated'>,
  { windows, share }: { windows: readonly WindowState[]; share: ClientState | undefined },
) {
  const all = share === undefined ? windows : [...windows, { name: 'client', ...share }];
  return {
    cost: { requested: cost, windows: all.map(renderWindow) },
    ...(deprecated.length > 0 && { deprecations: deprecated }),
  };
}

function renderWindow({ name, limit, remaining, resetAtMs }: RenderedWindow) {
  const resetAt = resetAtMs === undefined ? null : new Date(resetAtMs).toISOString();
  return { name, limit, remaining, resetAt };
}

type RenderedWindow = Pick<WindowState, 'limit' | 'remaining' | 'resetAtMs'> & { name: string };

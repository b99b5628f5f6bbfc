import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from '../../lib/logger.js';
import type { GraphQLContext } from './schema/context.js';
import { MAX_TOKENS, type DocumentCache } from './document-cache.js';
import { apiErrorOf, formatErrorOf } from './format-error.js';

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
    plugins: [logFailures(log)],
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
        didEncounterErrors({ errors, contextValue: { requestId } }) {
          for (const error of errors.map((one) => apiErrorOf(one)))
            if (error.status >= 500) log.error({ err: error.cause ?? error, requestId }, error.message);
          return Promise.resolve();
        },
      }),
  };
}

import { ApolloServer } from '@apollo/server';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from '../lib/logger.js';
import type { GraphQLContext } from './context.js';
import { MAX_TOKENS } from './document-cache.js';
import { formatError } from './format-error.js';

/** Apollo as the executor: no landing page, no persisted queries of clients' making, no stack traces. */
export function createApollo(schema: GraphQLSchema, log: Logger): ApolloServer<GraphQLContext> {
  return new ApolloServer<GraphQLContext>({
    schema,
    introspection: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    nodeEnv: 'production',
    stopOnTerminationSignals: false,
    formatError: (formatted, thrown) =>
      formatError(formatted, thrown, (error) => log.error({ err: error.cause ?? error }, error.message)),
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: (m) => log.warn(m),
      error: (m) => log.error(m),
    },
  });
}

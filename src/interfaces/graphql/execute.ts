import type { ApolloServer } from '@apollo/server';
import type { Answer } from './answer.js';
import type { GraphQLContext } from './schema/context.js';
import type { Prepared } from './prepare.js';
import { renderExtensions } from './render-extensions.js';

/** Executes one charged operation, or returns the errors that prevent its execution. */
export async function execute(
  apollo: ApolloServer<GraphQLContext>,
  prepared: Prepared,
  context: GraphQLContext,
): Promise<Answer> {
  const { request, errors } = prepared;
  const extensions = renderExtensions(prepared, context.verdict.windows);
  if (errors.length > 0) return named({ errors, extensions }, context);
  const { body } = await apollo.executeOperation(request, { contextValue: context });
  if (body.kind !== 'single') throw new Error('incremental delivery is not enabled');
  const { data, errors: thrown } = body.singleResult;
  return named(
    { ...(thrown && { errors: thrown }), ...(data !== undefined && { data }), extensions },
    context,
  );
}

/** Adds the request id to each error, as in the Error object of REST: a user may quote nothing but the error. */
function named({ errors, ...rest }: Answer, { requestId }: GraphQLContext): Answer {
  if (errors === undefined) return rest;
  return {
    errors: errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } })),
    ...rest,
  };
}

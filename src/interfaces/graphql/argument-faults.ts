import {
  getNamedType,
  GraphQLError,
  isInputObjectType,
  Kind,
  type GraphQLArgument,
  type GraphQLSchema,
} from 'graphql';
import { faultsOf, invalidRequest, type ApiError } from '../../lib/errors.js';

/**
 * Returns the error with each faulty field named by its path in the arguments, `input.name`, as graphql-js names them.
 * The services know only a value's own name. Only errors of a root field change.
 */
export function withArgumentPaths(schema: GraphQLSchema, thrown: unknown, error: ApiError): ApiError {
  const faults = faultsOf(error);
  const args = argumentsOf(schema, thrown);
  if (error.code !== 'invalid_request' || faults.length === 0 || args.length === 0) return error;
  return invalidRequest(faults.map(({ field, message }) => ({ field: pathIn(args, field), message })));
}

/** Returns the arguments of the root field that threw. No name is in both root types. */
function argumentsOf(schema: GraphQLSchema, thrown: unknown): readonly GraphQLArgument[] {
  if (!(thrown instanceof GraphQLError) || thrown.path?.length !== 1) return [];
  const [node] = thrown.nodes ?? [];
  if (node?.kind !== Kind.FIELD) return [];
  const { value: name } = node.name;
  const field = schema.getMutationType()?.getFields()[name] ?? schema.getQueryType()?.getFields()[name];
  return field?.args ?? [];
}

function pathIn(args: readonly GraphQLArgument[], field: string): string {
  const [first = field] = field.split(/[.[]/, 1);
  if (args.some(({ name }) => name === first)) return field;
  const holder = args.find(({ type }) => {
    const named = getNamedType(type);
    return isInputObjectType(named) && first in named.getFields();
  });
  return holder === undefined ? field : `${holder.name}.${field}`;
}

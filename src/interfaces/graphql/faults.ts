import {
  BREAK,
  Kind,
  visit,
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  getNamedType,
  isInputObjectType,
  type GraphQLArgument,
  type GraphQLSchema,
} from 'graphql';
import { type FieldFault, faultsOf, invalidRequest, type ApiError } from '../../lib/errors.js';

/** The place of a value in a document: in an argument, `input.ids[1]` of `createPet`, or in a variable's default. */
export interface Place {
  /** The path of the value, in the form that `details.fields` uses. */
  field: string;
  /** For people: `Argument "input.ids[1]" of "createPet"`. */
  description: string;
}

/** Returns undefined for a node that is in no argument and no default. */
export function placeOf(document: DocumentNode, wanted: ASTNode): Place | undefined {
  let place: Place | undefined;
  visit(document, {
    enter(node, _key, parent, path, ancestors) {
      if (node !== wanted) return undefined;
      place = describe([...ancestors, ...(parent === undefined ? [] : [parent]), node], path);
      return BREAK;
    },
  });
  return place;
}

/** `path[i]` leads from item `i` of the chain to the next. */
function describe(
  chain: readonly (ASTNode | readonly ASTNode[])[],
  path: readonly (string | number)[],
): Place | undefined {
  let field = '';
  let owner = '';
  let inDefault = false;
  for (const [i, link] of chain.entries()) {
    if (!('kind' in link)) continue;
    if (link.kind === Kind.FIELD) owner = link.name.value;
    if (link.kind === Kind.DIRECTIVE) owner = `@${link.name.value}`;
    if (link.kind === Kind.ARGUMENT) field = link.name.value;
    if (link.kind === Kind.OBJECT_FIELD) field += `.${link.name.value}`;
    if (link.kind === Kind.VARIABLE_DEFINITION) {
      field = link.variable.name.value;
      inDefault = true;
    }
    if (path[i - 2] === 'values') field += `[${path[i - 1]}]`;
  }
  if (field === '') return undefined;
  return {
    field,
    description: inDefault ? `Default of "$${field}"` : `Argument "${field}" of "${owner}"`,
  };
}

/**
 * The start of a message of graphql-js: `Variable "$input" got invalid value 5 at "input.name"; …`. `at` is missing if
 * the fault is in the whole value.
 */
const INVALID = /^Variable "\$(\w+)" got invalid value /;
const PLACE = / at "([\w.[\]]+)"$/;
const MISSING =
  /^Variable "\$(\w+)" of (?:required|non-null) type "(\S+)" (?:was not provided|must not be null)\.$/;

/**
 * Returns the fault in one part of a variable, named in the form that `details.fields` uses, or undefined for any other
 * error. graphql-js names the part only in its message, after the whole value, where NaN stands for a number that
 * parse-json.ts could not keep exactly.
 */
export function variableFault({ message, originalError }: GraphQLError): FieldFault | undefined {
  const [, missing, type] = MISSING.exec(message) ?? [];
  if (missing !== undefined)
    return { field: missing, message: `is required: send an ${type} in "variables"` };
  const [, name] = INVALID.exec(message) ?? [];
  const reason = originalError?.message;
  if (name === undefined || reason === undefined || !message.endsWith(`; ${reason}`)) return undefined;
  const [, place] = PLACE.exec(message.slice(0, -`; ${reason}`.length)) ?? [];
  return { field: place ?? name, message: reason };
}

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
